import { SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, removeSigningKeys } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const old = 'the old secret of this test which is long'
const fresh = 'the new secret of this test which is long'
const iss = 'https://login.example.com'
const shared = 'a shared secret of 32 bytes or more'

describe.each(databases)('keys of several processes, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  // They are under different secrets.
  afterEach(() => removeSigningKeys(database.url))
  afterAll(() => database.close())

  const signHs = (sub: string) => {
    const seconds = Math.floor(world.now / 1000)
    return new SignJWT({ iss, aud: 'app', sub, iat: seconds, exp: seconds + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(shared))
  }

  test("a shorter token life at the next start does not kill a retired key's tokens", async () => {
    const { clientele: first } = await world.start({ tokenTtlSeconds: 24 * 3600 })
    const { accountId, signedIn } = await world.signIn(first)
    const { token } = signedIn
    await first.signingKeys.rotate(accountId, { now: true })
    const { clientele: second } = await world.start({ tokenTtlSeconds: 900 })
    world.now += 3600_000
    const early = await codeOf(first.auth.validateToken(accountId, token))
    const inSecond = await codeOf(second.auth.validateToken(accountId, token))
    world.now += 6000
    const inFirst = await codeOf(first.auth.validateToken(accountId, token))
    expect({ early, inSecond, inFirst }).toEqual({
      early: undefined,
      inSecond: undefined,
      inFirst: undefined,
    })
  })

  test('the command line rotates the key of a host that signs by RS256', async () => {
    const { clientele } = await world.start({ secrets: [old], signingAlgorithm: 'RS256' })
    const { accountId } = await world.signIn(clientele)
    const environment = { DATABASE_URL: database.url, CLIENTELE_SECRET: old }
    const rotate = ['signing-key', 'rotate', '--account', accountId, '--now', '--json']
    expect(await runCommand(rotate, environment)).toMatchObject({ code: 0, errors: '' })
    world.now += 6000
    const keys = await clientele.signingKeys.list(accountId)
    const states = keys.map(({ algorithm, status }) => `${algorithm} ${status}`)
    expect(states.toSorted()).toEqual(['RS256 active', 'RS256 retired'])
  })

  test('an API key cannot be created, or rotated into one, that has already expired', async () => {
    const { clientele } = await world.start()
    const { accountId } = await world.addUser(clientele)
    const { id } = await clientele.apiKeys.create(accountId)
    expect(
      await codeOf(clientele.apiKeys.create(accountId, { expiresAt: new Date('2020-01-01') })),
    ).toBe('validation_failed')
    expect(
      await codeOf(
        clientele.apiKeys.rotate(accountId, id, {
          expiresAt: new Date('2020-01-01'),
          overlapSeconds: 0,
        }),
      ),
    ).toBe('validation_failed')
  })

  test('if every process first gets both secrets, the old one in front, there is no outage', async () => {
    const { clientele: before } = await world.start({ secrets: [old] })
    const { accountId, user, credentials } = await world.addUser(before)
    await before.trustedIssuers.create(accountId, {
      issuer: iss,
      audience: 'app',
      algorithms: ['HS256'],
      sharedSecret: shared,
    })
    const { generate } = await world.enrolTotp(before, accountId, user.id)
    const { clientele: p } = await world.start({ secrets: [old, fresh] })
    const { clientele: q } = await world.start({ secrets: [fresh, old] })
    await q.signingKeys.rotate(accountId, { now: true })
    for (const each of [p, q]) {
      world.now += 60_000
      const challenge = await world.challengeOf(each, accountId, credentials)
      const answer = { challenge, method: 'totp', code: generate() } as const
      expect(await codeOf(each.auth.completeMfa(accountId, answer))).toBe(undefined)
      expect(await codeOf(each.auth.validateToken(accountId, await signHs(user.id)))).toBe(
        undefined,
      )
    }
  })
})
