import { randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { startBetterAuth } from './start-better-auth.ts'
import {
  clientId,
  makeSigningKey,
  resource,
  signInThere,
  startOidcProvider,
} from './start-oidc-provider.ts'

const trustedIssuers = { allowPrivateAddresses: true }

describe.each(anyDatabase)('issuers that really run, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Their clocks are the machine's. Ours is behind by less than the leeway: users are made before their tokens. */
  function keepUp(aheadMs = 0): void {
    world.now = Date.now() - 3_000 + aheadMs
  }

  async function start(): Promise<{ clientele: Clientele; accountId: string }> {
    const { clientele } = await world.start({ trustedIssuers })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    return { clientele, accountId: id }
  }

  /** An account that knows nothing of a running oidc-provider but its address, and what it is called there. */
  async function trustOidcProvider() {
    keepUp()
    const provider = await startOidcProvider(await makeSigningKey('first'))
    onTestFinished(provider.close)
    const { clientele, accountId } = await start()
    const issuer = await clientele.trustedIssuers.create(accountId, {
      issuer: provider.origin,
      audience: [clientId, resource],
      algorithms: ['RS256'],
      userLookup: 'identity',
      signIn: true,
    })
    const issue = async () => {
      // Without it, two tokens of one second would be the same text: they have no id.
      const nonce = randomUUID()
      const tokens = await signInThere(provider.origin, nonce)
      keepUp()
      return { ...tokens, nonce }
    }
    const logIn = async (idToken: string, nonce: string, create = true) => {
      const input = { idToken, nonce, create }
      const signedIn = await clientele.auth.logInWithIdToken(accountId, input)
      if (!('token' in signedIn)) throw new Error('A factor was asked for.')
      return signedIn
    }
    return { provider, clientele, accountId, issuer, issue, logIn }
  }

  test('an ID token of oidc-provider opens a session, once', async () => {
    const { provider, clientele, accountId, issuer, issue, logIn } = await trustOidcProvider()
    expect(issuer).toMatchObject({ keySource: 'discovery', jwksUrl: null })
    const { id_token: idToken, nonce } = await issue()
    expect(decodeJwt(idToken)).toMatchObject({ iss: provider.origin, aud: clientId, nonce })
    expect(await codeOf(logIn(idToken, randomUUID()))).toBe('token_claims_invalid')
    expect(await codeOf(logIn(idToken, nonce, false))).toBe('token_user_not_found')
    const { user, token } = await logIn(idToken, nonce)
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace' })
    const identity = { issuer: provider.origin, subject: 'ada' }
    expect(await clientele.identities.list(accountId, user.id)).toMatchObject([identity])
    expect((await clientele.auth.validateToken(accountId, token)).user.id).toBe(user.id)
    expect(await codeOf(logIn(idToken, nonce))).toBe('token_revoked')
    const next = await issue()
    const again = await logIn(next.id_token, next.nonce, false)
    expect(again.user.id).toBe(user.id)
    expect((await clientele.users.list(accountId)).total).toBe(1)
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(2)
  })

  test('a JWT access token of oidc-provider is valid, and does not sign in', async () => {
    const { provider, clientele, accountId, issue, logIn } = await trustOidcProvider()
    const { id_token: idToken, access_token: accessToken, nonce } = await issue()
    const { user } = await logIn(idToken, nonce)
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' })
    const valid = await clientele.auth.validateToken(accountId, accessToken)
    expect(valid.user).toEqual(user)
    expect(valid.claims).toMatchObject({ iss: provider.origin, aud: resource })
    expect(await codeOf(logIn(accessToken, nonce))).toBe('token_claims_invalid')
    const { accountId: other, clientele: elsewhere } = await start()
    const refused = elsewhere.auth.validateToken(other, accessToken)
    expect(await codeOf(refused)).toBe('token_unknown_key')
  })

  test('a rotated key of oidc-provider is followed', async () => {
    const { provider, clientele, accountId, issue, logIn } = await trustOidcProvider()
    const first = await issue()
    const { user } = await logIn(first.id_token, first.nonce)
    await provider.close()
    const port = Number(new URL(provider.origin).port)
    const rotated = await startOidcProvider(await makeSigningKey('second'), port)
    onTestFinished(rotated.close)
    const { access_token: token } = await issue()
    expect(decodeProtectedHeader(token).kid).toBe('second')
    const check = async () => (await clientele.auth.validateToken(accountId, token)).user.id
    // Its keys have been read less than half a minute ago.
    expect(await codeOf(check())).toBe('token_unknown_key')
    keepUp(31_000)
    expect(await check()).toBe(user.id)
  })

  test('a JWT of better-auth is valid for the user with its verified e-mail', async () => {
    keepUp()
    const betterAuth = await startBetterAuth()
    onTestFinished(betterAuth.close)
    const { clientele, accountId } = await start()
    const email = 'ada@example.com'
    const { user } = await world.addUser(clientele, { accountId, email })
    const cookie = await betterAuth.signUp(email)
    const unverified = await betterAuth.readToken(cookie)
    await clientele.trustedIssuers.create(accountId, {
      issuer: betterAuth.origin,
      audience: betterAuth.origin,
      algorithms: ['EdDSA'],
      jwksUrl: `${betterAuth.origin}/api/auth/jwks`,
      userClaim: 'email',
    })
    const check = (token: string) => clientele.auth.validateToken(accountId, token)
    expect(decodeJwt(unverified)).toMatchObject({ email, emailVerified: false })
    keepUp()
    expect(await codeOf(check(unverified))).toBe('token_claims_invalid')
    betterAuth.verifyEmails()
    const token = await betterAuth.readToken(cookie)
    keepUp()
    expect(decodeProtectedHeader(token).alg).toBe('EdDSA')
    expect((await check(token)).user).toEqual(user)
  })
})
