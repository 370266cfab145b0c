import type { Clientele, NewTrustedIssuer } from '@clientele/core'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { SoftwareAuthenticator, site } from './software-authenticator.ts'

const sharedSecret = 'a shared secret of 32 bytes or more'
const issuer = {
  ...{ issuer: 'https://login.example.com', audience: 'app', algorithms: ['HS256'] },
  sharedSecret,
} satisfies NewTrustedIssuer

describe.each(databases)("an enrolment that another issuer's token began, on $name", ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(userLookup: 'identity' | 'id' = 'identity') {
    const { clientele } = await world.start()
    const { clientele: elsewhere } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const userId = user.id
    await clientele.accounts.setPasskeys(accountId, { ...site, requireToken: true })
    const lookup = { userClaim: 'sub', userLookup }
    const trusted = await clientele.trustedIssuers.create(accountId, { ...issuer, ...lookup })
    const link = (subject: string) =>
      clientele.identities.link(accountId, userId, { issuer: issuer.issuer, subject })
    const identity = await link('ada')
    const other = await link('lovelace')
    world.now += 5_000
    const begin = async () => {
      const iat = Math.floor(world.now / 1000)
      const token = await new SignJWT({ iat, exp: iat + 60 })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(issuer.issuer)
        .setAudience(issuer.audience)
        .setSubject(userLookup === 'id' ? userId : 'ada')
        .sign(new TextEncoder().encode(sharedSecret))
      const device = new SoftwareAuthenticator()
      const given = { token: `Bearer ${token}` }
      const begun = await clientele.passkeys.beginEnrolment(accountId, userId, given)
      const input = { challenge: begun.challenge, response: device.create(begun.options) }
      return () => codeOf(clientele.passkeys.enrol(accountId, userId, input))
    }
    const issuerId = trusted.id
    const began: Began = { elsewhere, accountId, userId, issuerId, identityId: identity.id }
    return {
      clientele,
      began,
      other,
      begin,
      listed: () => clientele.passkeys.list(accountId, userId),
    }
  }

  interface Began {
    elsewhere: Clientele
    accountId: string
    userId: string
    issuerId: string
    identityId: string
  }
  const untrust = ({ elsewhere, accountId, issuerId }: Began) =>
    elsewhere.trustedIssuers.delete(accountId, issuerId)
  const ends: [string, (began: Began) => Promise<unknown>][] = [
    ['the issuer is deleted', untrust],
    [
      'the issuer is deleted, and trusted anew',
      async (began) => {
        await untrust(began)
        await began.elsewhere.trustedIssuers.create(began.accountId, issuer)
      },
    ],
    [
      'the issuer gets another key',
      ({ elsewhere, accountId, issuerId }) =>
        elsewhere.trustedIssuers.update(accountId, issuerId, {
          sharedSecret: 'another secret of 32 bytes or more',
        }),
    ],
    [
      'the identity is unlinked',
      ({ elsewhere, accountId, userId, identityId }) =>
        elsewhere.identities.unlink(accountId, userId, identityId),
    ],
  ]

  test.each(ends)('ends when %s', async (_, end) => {
    const { began, begin, listed } = await start()
    const finish = await begin()
    await end(began)
    expect(await finish()).toBe('challenge_invalid')
    expect(await listed()).toEqual([])
  })

  test('ends with the trust, also where the token has the id of the user', async () => {
    const { began, begin } = await start('id')
    expect(await (await begin())()).toBeUndefined()
    const finish = await begin()
    await untrust(began)
    expect(await finish()).toBe('challenge_invalid')
  })

  test('survives that another identity is unlinked', async () => {
    const { began, other, begin } = await start()
    const finish = await begin()
    await began.elsewhere.identities.unlink(began.accountId, began.userId, other.id)
    expect(await finish()).toBeUndefined()
  })

  test('is complete before the trust ends at the same moment, or fails', async () => {
    const { began, begin, listed } = await start()
    const finishes = await Promise.all(Array.from({ length: 8 }, begin))
    const [, ...outcomes] = await Promise.all([
      untrust(began),
      ...finishes.map((finish) => finish()),
    ])
    for (const outcome of outcomes) expect([undefined, 'challenge_invalid']).toContain(outcome)
    expect(await listed()).toHaveLength(outcomes.filter((outcome) => outcome === undefined).length)
  })
})
