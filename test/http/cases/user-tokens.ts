import { expect } from 'vitest'
import {
  invalid,
  invalidToken,
  lacking,
  noContent,
  plain,
  problem,
  renderUser,
} from '../support/answers.ts'
import { form } from '../support/certain-steps.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow } from './case.ts'

const auth = '/client/user/auth'
const brokenDetail = "This is not a whole token of a user's own, cut_…: its checksum is wrong."
const post = (path: string, json: object) => ({ method: 'POST', path, json })
const created = {
  ...plain(
    /^\{"id":"[\w-]{36}","name":"Script","scopes":\["deploy"\],"prefix":"cut_live_\w{28}…","created_at":"[^"]+","expires_at":"[^"]+","last_used_at":null,"token":"cut_live_\w{71}"\}$/,
  ),
  status: 201,
}

async function make(world: World) {
  const { id } = await world.createUser()
  const path = `/client/user/${id}/token`
  const given = { name: 'Script', scopes: ['deploy'], expires_in: 3600 }
  const { token, ...listed } = JSON.parse((await world.check(post(path, given), created)).body)
  return { userId: id, path, token, listed, one: `${path}/${listed.id}` }
}

export const userTokenCases: readonly Case[] = [
  flow('tokens of large users are validated in parts, with the same text', async (world) => {
    const large = {
      roles: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100, 'é')),
      metadata: { note: 'é"'.repeat(1_900) },
    }
    const tokens: string[] = []
    const valid: string[] = []
    for (let index = 0; index < 14; index++) {
      const user = await world.createUser(`large${index}@example.com`, { name: 'Large', ...large })
      const made = await world.send(post(`/client/user/${user.id}/token`, { name: 'Script' }))
      const { token, id, name, scopes, expires_at } = JSON.parse(made.body)
      tokens.push(`Bearer ${token}`)
      const ofToken = JSON.stringify({ id, name, scopes, expires_at })
      valid.push(
        `{"isValid":true,"success_code":200,"user":${renderUser(user)},"user_token":${ofToken}}`,
      )
    }
    const refused = '{"isValid":false,"code":"token_malformed"}'
    const sent = { tokens: [...tokens, 'Bearer x', ...tokens.toReversed(), 'Bearer y'] }
    const expected = [...valid, refused, ...valid.toReversed(), refused]
    // The first batch shows how large the users are: those that follow are sent in parts.
    for (const time of ['first', 'second', 'third']) {
      const { status, body } = await world.send(post(`${auth}/validation-tokens`, sent))
      expect([time, status, body]).toEqual([time, 200, `{"results":[${expected}]}`])
    }
    const { body } = await world.send(post(`${auth}/validation-tokens`, { tokens: ['Bearer x'] }))
    expect(body).toBe(`{"results":[${refused}]}`)
  }),
  flow("user tokens: made, listed, renamed and revoked, in the user's account", async (world) => {
    const { path, one, listed, token } = await make(world)
    const all = await world.check({ path }, plain(/^\{"data":\[\{.*\}\]\}$/))
    expect(JSON.parse(all.body).data).toEqual([listed])
    const rename = { method: 'PATCH', path: one, json: { name: 'CI' } }
    const renamed = await world.check(rename, plain(/^\{"id":.*"name":"CI".*\}$/))
    expect(JSON.parse(renamed.body)).toEqual({ ...listed, name: 'CI' })
    const { key } = await world.otherTenant()
    const others = [
      [{ path, key }, 'user_not_found'],
      [{ ...post(path, { name: 'Theirs' }), key }, 'user_not_found'],
      [{ method: 'DELETE', path, key }, 'user_not_found'],
      [{ ...rename, key }, 'user_token_not_found'],
      [{ method: 'DELETE', path: one, key }, 'user_token_not_found'],
    ] as const
    for (const [call, code] of others) await world.check(call, problem(code))
    await world.check({ method: 'DELETE', path: one }, noContent)
    await world.check({ method: 'DELETE', path: one }, problem('user_token_not_found'))
    const sent = { token: `Bearer ${token}` }
    await world.check(post(`${auth}/validation-token`, sent), invalidToken('token_revoked'))
    await world.check({ method: 'DELETE', path }, noContent)
    await world.check({ path: `/client/user/${absentId}/token` }, problem('user_not_found'))
  }),
  flow('user tokens: validated as JWTs are, introspected and exchanged', async (world) => {
    const { userId, token, listed } = await make(world)
    const user = (await world.send({ path: `/client/user/${userId}` })).body
    const { id, name, scopes, expires_at } = listed
    const ofToken = JSON.stringify({ id, name, scopes, expires_at })
    const valid = `{"isValid":true,"success_code":200,"user":${user},"user_token":${ofToken}}`
    const sent = `Bearer ${token}`
    const validate = (text: string) => post(`${auth}/validation-token`, { token: text })
    await world.check(validate(sent), plain(valid))
    const broken = sent.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const invalidOnes = `{"isValid":false,"code":"token_malformed"},{"isValid":false,"code":"token_malformed"}`
    await world.check(
      post(`${auth}/validation-tokens`, { tokens: [sent, broken, token] }),
      plain(`{"results":[${valid},${invalidOnes}]}`),
    )
    await world.check(
      validate(broken),
      problem('token_malformed', { detail: brokenDetail, members: { isValid: false } }),
    )
    const { key } = await world.otherTenant()
    await world.check({ ...validate(sent), key }, invalidToken('token_unknown_key'))
    const exchange = post(`${auth}/token/exchange`, { token })
    await world.check({ ...exchange, key }, problem('token_unknown_key'))
    const answer = /^\{"token":"[\w.-]+","token_type":"Bearer","expires_in":600\}$/
    const { token: jwt } = JSON.parse((await world.check(exchange, plain(answer))).body)
    await world.check(validate(`Bearer ${jwt}`), plain(valid))
    const otherKind =
      "Only a user's own token, cut_…, can be exchanged: this is another kind of token."
    await world.check(
      post(`${auth}/token/exchange`, { token: jwt }),
      problem('token_malformed', { detail: otherKind }),
    )
    for (const text of [token, jwt]) {
      const introspect = { path: `${auth}/introspect`, body: `token=${text}`, headers: form }
      const active = plain(/^\{"active":true,.*"scope":"deploy",.*\}$/)
      const told = JSON.parse((await world.check({ method: 'POST', ...introspect }, active)).body)
      expect(told).toMatchObject({ sub: userId, client_id: world.account.id })
      expect(told).not.toHaveProperty('auth_time')
    }
    // A token is no API key.
    await world.check(
      { key: token },
      problem('api_key_invalid', {
        detail: 'This is a token of a user: send an API key, cu_….',
      }),
    )
  }),
  flow('user tokens: input, scopes of the key, and a password that ends them', async (world) => {
    const { userId, path, token } = await make(world)
    const wrong = { name: '', scopes: ['two words'], expires_in: 59, until: 1 }
    const refused = await world.send(post(path, wrong))
    const pointers = JSON.parse(refused.body).errors.map((each: object) =>
      Reflect.get(each, 'pointer'),
    )
    expect(pointers.sort()).toEqual(['/expires_in', '/name', '/scopes/0', '/until'])
    const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
      scopes: ['users:read', 'tokens:validate'],
    })
    await world.check({ ...post(path, { name: 'Script' }), key }, lacking('users:write'))
    const exchange = post(`${auth}/token/exchange`, { token })
    await world.check({ ...exchange, key }, lacking('tokens:issue'))
    const patch = (json: object) => ({
      method: 'PATCH',
      path: `/client/user/${userId}?revoke_tokens=true`,
      json,
    })
    const needsPassword = 'needs a password: the tokens end together with the old one'
    await world.check(patch({ name: 'Ada B' }), invalid(['/password', 'required', needsPassword]))
    await world.check(patch({ password: 'another one' }), plain(/^\{"id":/, { etag: '"2"' }))
    const validate = post(`${auth}/validation-token`, { token: `Bearer ${token}` })
    await world.check(validate, invalidToken('token_revoked'))
  }),
]
