import { randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const many = 101
const limit = { points: 1_000, windowSeconds: 3_600 }

describe.each(anyDatabase)('a stranger who knows an e-mail, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const repeat = async (times: number, work: () => Promise<unknown>) => {
    for (let time = 0; time < times; time++) {
      world.now += 100
      await work()
    }
  }
  const beginFor = (clientele: Clientele, accountId: string, email: string) =>
    clientele.auth.beginPasskeyLogIn(accountId, { email })

  test('ends no passkey ceremony of its user by beginning a hundred', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    const authenticator = new SoftwareAuthenticator()
    const enrolment = await clientele.passkeys.beginEnrolment(accountId, user.id)
    await repeat(many, () => beginFor(clientele, accountId, user.email))
    const { challenge } = enrolment
    const enrolled = { challenge, response: authenticator.create(enrolment.options) }
    await clientele.passkeys.enrol(accountId, user.id, enrolled)
    const begun = await beginFor(clientele, accountId, user.email)
    await repeat(many, () => beginFor(clientele, accountId, user.email))
    const response = authenticator.get(begun.options)
    const signedIn = await clientele.auth.logInWithPasskey(accountId, {
      challenge: begun.challenge,
      response,
    })
    expect(signedIn.user.id).toBe(user.id)
  })

  test('learns from no challenge whether the e-mail has a user, whatever the user does meanwhile', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    const stranger = await world.addUser(clientele, { accountId })
    const own = new SoftwareAuthenticator()
    const enrolment = await clientele.passkeys.beginEnrolment(accountId, stranger.user.id)
    const created = { challenge: enrolment.challenge, response: own.create(enrolment.options) }
    await clientele.passkeys.enrol(accountId, stranger.user.id, created)
    const meanwhile = [
      (email: string) => repeat(many, () => beginFor(clientele, accountId, email)),
      () => clientele.users.patch(accountId, user.id, { password: 'another password' }),
      () => codeOf(clientele.users.delete(accountId, user.id)),
    ]
    for (const happens of meanwhile) {
      const codes = []
      for (const email of [user.email, `${randomUUID()}@example.com`]) {
        const { challenge, options } = await beginFor(clientele, accountId, email)
        await happens(email)
        const response = own.get(options)
        codes.push(
          await codeOf(clientele.auth.logInWithPasskey(accountId, { challenge, response })),
        )
      }
      expect(codes).toEqual(['passkey_invalid', 'passkey_invalid'])
    }
  })

  test('ends no mailed token of its user by asking for a hundred that live longer', async () => {
    const { clientele, mailed } = await world.start({ rateLimits: { reset: limit } })
    const { accountId, user } = await world.addUser(clientele)
    const { email } = user
    let asked = 0
    await clientele.users.requestEmailChange(accountId, user.id, { email: `new-${email}` })
    await repeat(many, async () => {
      await clientele.auth.requestEmailVerification(accountId, { email })
      await mailed('email_verification', asked++)
    })
    await clientele.auth.forgotPassword(accountId, { email })
    await mailed('password_reset')
    const token = await mailed('email_change')
    expect(await codeOf(clientele.auth.confirmEmailChange(accountId, { token }))).toBeUndefined()
    await clientele.auth.forgotPassword(accountId, { email: `new-${email}` })
    const reset = { token: await mailed('password_reset', 1), password: 'another password' }
    expect(await codeOf(clientele.auth.resetPassword(accountId, reset))).toBeUndefined()
  })
})
