import { randomUUID } from 'node:crypto'
import type { Clientele, SetPolicy } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { bySecret, iss, signBySecret } from '../support/issuer-world.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'

/**
 * The statements of each way in before accounts had policies; BEGIN and COMMIT count. A passkey and an identity are looked for
 * once more in the transaction that opens the session; the issuer of an ID token is read once more when its signature is
 * verified; a recovery code locks its user first.
 */
const before: Record<TestDatabase['name'], Record<string, number>> = {
  sqlite: {
    password: 9,
    passwordOverHttp: 10,
    passkey: 15,
    idToken: 13,
    idTokenOverHttp: 14,
    refresh: 3,
    validate: 2,
    secondFactor: 26,
  },
  postgres: {
    password: 6,
    passwordOverHttp: 7,
    passkey: 14,
    idToken: 12,
    idTokenOverHttp: 13,
    refresh: 3,
    validate: 1,
    secondFactor: 25,
  },
}

describe.each(databases)(
  'the policy of an account costs no statement, on $name',
  ({ name, open }) => {
    let world: RecordedClientele
    beforeAll(async () => {
      world = await openRecordedClientele(open)
    })
    afterAll(() => world.close())

    async function countOf(call: () => Promise<unknown>): Promise<number> {
      // The first call prepares, and reads what is remembered from then on.
      await call()
      world.recorded.take()
      await call()
      return world.recorded.take().length
    }

    /** Counts what each way in runs, in process and over HTTP. */
    async function countWays(clientele: Clientele, policy?: SetPolicy) {
      const { accounts, auth, users } = clientele
      const { id } = await accounts.create({ name: 'Acme' })
      await accounts.setPasskeys(id, site)
      if (policy !== undefined) await accounts.setPolicy(id, policy)
      const { apiKey: key } = await clientele.apiKeys.create(id)
      const credentials = { email: `${randomUUID()}@example.com`, password: 'long enough' }
      const { user } = await users.create(id, { name: 'Ada', ...credentials })
      await clientele.trustedIssuers.create(id, { ...bySecret, signIn: true, nonce: 'optional' })
      await clientele.identities.link(id, user.id, { issuer: iss, subject: user.id })
      const authenticator = new SoftwareAuthenticator()
      const { challenge, options } = await clientele.passkeys.beginEnrolment(id, user.id)
      const response = authenticator.create(options)
      await clientele.passkeys.enrol(id, user.id, { challenge, response })
      let session = await logIn(clientele, id, credentials)
      const post = async (url: string, body: object) => {
        const { status } = await send(clientele, 'POST', `/client/user/auth/${url}`, { key, body })
        expect(status).toBeLessThan(300)
      }
      let later = 0
      // Each works once.
      const idToken = () => signBySecret(user.id, Math.floor(Date.now() / 1000) + ++later)
      const counts: Record<string, number> = {
        password: await countOf(() => auth.logIn(id, credentials)),
        passwordOverHttp: await countOf(() => post('login', credentials)),
        passkey: await countOf(async () => {
          const begun = await auth.beginPasskeyLogIn(id)
          const used = authenticator.get(begun.options)
          await auth.logInWithPasskey(id, { challenge: begun.challenge, response: used })
        }),
        idToken: await countOf(async () => auth.logInWithIdToken(id, { idToken: await idToken() })),
        idTokenOverHttp: await countOf(async () =>
          post('login/id-token', { id_token: await idToken() }),
        ),
        refresh: await countOf(async () => {
          session = await auth.refresh(id, toRefresh(session))
        }),
        validate: await countOf(() =>
          post('validation-token', { token: `Bearer ${session.token}` }),
        ),
      }
      const { secret } = await clientele.mfa.enrolTotp(id, user.id)
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
      const codes = await clientele.mfa.confirmTotp(id, user.id, { code })
      counts.secondFactor = await countOf(async () => {
        const asked = await auth.logIn(id, credentials)
        if (!('challenge' in asked)) throw new Error('No second factor was asked for.')
        const given = { challenge: asked.challenge, code: codes.pop() ?? '' }
        await auth.completeMfa(id, { ...given, method: 'recovery_code' })
      })
      return counts
    }

    test('with one or without, in process and over HTTP', async () => {
      const { clientele } = world
      const without = await countWays(clientele)
      expect(Object.keys(without)).toEqual(Object.keys(before[name]))
      const policy = {
        minPasswordLength: 8,
        sessionTtlSeconds: 600,
        verifiedEmail: 'optional' as const,
        rememberDeviceDays: 0,
      }
      expect(await countWays(clientele, policy)).toEqual(without)
      const more = Object.entries(without).filter(
        ([way, count]) => count > (before[name][way] ?? 0),
      )
      expect(more).toEqual([])
    })
  },
)
