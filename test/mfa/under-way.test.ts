import { randomUUID } from 'node:crypto'
import type { NewTrustedIssuer } from '@clientele/core'
import { SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'analytical engine'
const sharedSecret = 'a shared secret of 32 bytes or more'
const issuer = {
  ...{ issuer: 'https://login.example.com', audience: 'app', algorithms: ['HS256'] },
  ...{ sharedSecret, signIn: true, nonce: 'optional' },
} satisfies NewTrustedIssuer

function signIdToken(): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  return new SignJWT({ iat, exp: iat + 60 })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer.issuer)
    .setAudience('app')
    .setSubject('ada')
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(sharedSecret))
}

describe.each(databases)('while the hook of a second step is asked, on $name', ({ open }) => {
  /** What happens in the hook of the next sign-in */
  let meanwhile: (() => Promise<unknown>) | undefined

  async function start() {
    const database = await open()
    const mailed: string[] = []
    const beforeSignIn = async () => {
      const act = meanwhile
      meanwhile = undefined
      await act?.()
    }
    const clientele = await openClientele(database.url, {
      sendMail: async (mail) => {
        if (mail.kind === 'two_factor_code') mailed.push(mail.code)
      },
      hooks: { beforeSignIn },
    })
    onTestFinished(async () => {
      await clientele.close()
      await database.close()
    })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.accounts.setPolicy(accountId, { signIn: ['password', 'id_token'] })
    await clientele.trustedIssuers.create(accountId, issuer)
    const input = { name: 'Ada', email: 'ada@example.com', password }
    const userId = (await clientele.users.create(accountId, input)).user.id
    const link = { issuer: issuer.issuer, subject: 'ada' }
    const identity = await clientele.identities.link(accountId, userId, link)
    await clientele.mfa.enrolEmail(accountId, userId)
    const [code = ''] = await clientele.mfa.renewRecoveryCodes(accountId, userId)
    const { auth } = clientele
    const challengeOf = (answer: object) => (answer as { challenge: string }).challenge // of a second step
    const byIdToken = async () => {
      const answer = await auth.logInWithIdToken(accountId, { idToken: await signIdToken() })
      return { challenge: challengeOf(answer), method: 'recovery_code', code } as const
    }
    const byMail = async () => {
      const challenge = challengeOf(await auth.logIn(accountId, { email: input.email, password }))
      await auth.mailMfaCode(accountId, { challenge })
      await expect.poll(() => mailed).toHaveLength(1)
      return { challenge, method: 'email', code: mailed[0] ?? '' } as const
    }
    return { clientele, accountId, userId, identity, byIdToken, byMail }
  }

  test('what the first step has shown may be taken away: there is no session', async () => {
    const { clientele, accountId, userId, identity, byIdToken } = await start()
    const answer = await byIdToken()
    meanwhile = () => clientele.identities.unlink(accountId, userId, identity.id)
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    expect(await clientele.sessions.list(accountId, userId)).toEqual([])
  })

  test('the second factors may change: there is no session', async () => {
    const { clientele, accountId, userId, byMail } = await start()
    const answer = await byMail()
    meanwhile = async () => {
      await clientele.mfa.remove(accountId, userId)
      await clientele.mfa.enrolEmail(accountId, userId)
    }
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    expect(await clientele.sessions.list(accountId, userId)).toEqual([])
  })

  test('all sessions may be ended: there is none', async () => {
    const { clientele, accountId, userId, byMail } = await start()
    const answer = await byMail()
    meanwhile = () => clientele.sessions.revokeAll(accountId, userId)
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    expect(await clientele.sessions.list(accountId, userId)).toEqual([])
  })

  test('nothing may happen: there is a session, and the challenge is used up', async () => {
    const { clientele, accountId, userId, byIdToken } = await start()
    const answer = await byIdToken()
    expect(await clientele.auth.completeMfa(accountId, answer)).toHaveProperty('token')
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    expect(await clientele.sessions.list(accountId, userId)).toHaveLength(1)
  })
})
