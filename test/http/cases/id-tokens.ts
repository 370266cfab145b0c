import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect } from 'vitest'
import { invalid, lacking, notAllowed, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { type Case, flow, row } from './case.ts'

const path = '/client/user/auth/login/id-token'
const keys = await generateKeyPair('ES256', { extractable: true })
const publicKey = { ...(await exportJWK(keys.publicKey)), kty: 'EC' }
const issuer = 'https://login.example.com'
const audience = 'client-1'
const nonce = 'n-0S6_WzA2Mj'
const signedIn = plain(
  /^\{"success_code":200,"data":\{"token":"[\w.-]+","token_type":"Bearer","expires_in":7200,"refresh_token":"[\w-]{43,}","refresh_expires_in":\d+\},"user":\{"id":.*\}\}$/,
)

async function trust(world: World): Promise<void> {
  await world.clientele.trustedIssuers.create(world.account.id, {
    ...{ issuer, audience, algorithms: ['ES256'], publicKeys: [publicKey] },
    ...{ signIn: true, linkByEmail: true },
  })
}

async function logIn(world: World, claims: object, more: object = {}) {
  const iat = Math.floor(world.clock.now / 1000)
  const all = { iss: issuer, aud: audience, sub: 'ada', iat, exp: iat + 60, nonce, ...claims }
  const id_token = await new SignJWT(all).setProtectedHeader({ alg: 'ES256' }).sign(keys.privateKey)
  return { method: 'POST', path, json: { id_token, nonce, ...more } }
}

const verified = { email: 'ada@example.com', email_verified: true }

export const idTokenCases: readonly Case[] = [
  flow('login with an ID token: links by e-mail, once', async (world) => {
    await trust(world)
    const { id } = await world.createUser()
    const unknown = await logIn(world, {})
    await world.check(unknown, problem('token_user_not_found'))
    const call = await logIn(world, verified)
    const { body } = await world.check(call, signedIn)
    expect(JSON.parse(body).user.id).toBe(id)
    await world.check(call, problem('token_revoked'))
    const listed = await world.send({ path: `/client/user/${id}/identity` })
    expect(JSON.parse(listed.body).data).toMatchObject([{ issuer, subject: 'ada' }])
  }),
  flow('login with an ID token: creates the user if the caller wants that', async (world) => {
    await trust(world)
    const call = await logIn(world, { ...verified, name: 'Ada King' }, { create: true })
    const { body } = await world.check(call, signedIn)
    expect(JSON.parse(body).user).toMatchObject({ name: 'Ada King', email: 'ada@example.com' })
    await world.check(
      await logIn(world, { sub: 'grace', email_verified: false }, { create: true }),
      problem('token_claims_invalid'),
    )
  }),
  flow('login with an ID token: an address that a user has, without linking', async (world) => {
    await trust(world)
    const { account, clientele } = world
    const [{ id } = { id: '' }] = await clientele.trustedIssuers.list(account.id)
    await clientele.trustedIssuers.update(account.id, id, { linkByEmail: false })
    await world.createUser()
    const call = await logIn(world, verified, { create: true })
    await world.check(call, problem('email_taken'))
  }),
  flow('login with an ID token: another nonce, another account', async (world) => {
    await trust(world)
    await world.createUser()
    const wrong = await logIn(world, { ...verified, nonce: 'x' })
    await world.check(wrong, problem('token_claims_invalid'))
    const { key } = await world.otherTenant()
    const right = await logIn(world, verified)
    await world.check({ ...right, key }, problem('token_unknown_key'))
    await world.check(right, signedIn)
  }),
  row(
    'login with an ID token: nothing',
    { method: 'POST', path, json: {} },
    invalid(['/id_token', 'required', 'is required']),
  ),
  row(
    'login with an ID token: other types',
    { method: 'POST', path, json: { id_token: 1, nonce: '', create: 'true', x: 1 } },
    invalid(
      ['/id_token', 'type', 'must be a string'],
      ['/nonce', 'too_short', 'must not be empty'],
      ['/create', 'type', 'must be a boolean'],
      ['/x', 'unrecognized', 'is not known here'],
    ),
  ),
  row(
    'login with an ID token: no JWT',
    { method: 'POST', path, json: { id_token: 'Bearer x' } },
    problem('token_malformed', { detail: 'Send the token alone, without Bearer.' }),
  ),
  flow('login with an ID token needs its scope', async (world) => {
    const scopes = ['users:read', 'users:write', 'tokens:validate'] as const
    const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
      scopes: [...scopes],
    })
    await world.check(
      { method: 'POST', path, json: { id_token: 'x' }, key },
      lacking('tokens:issue'),
    )
  }),
  row('405 on login with an ID token', { path }, notAllowed('POST')),
]
