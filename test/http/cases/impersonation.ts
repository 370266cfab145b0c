import { expect } from 'vitest'
import { invalid, lacking, noContent, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow } from './case.ts'

const given = { actor: 'support@example.com', reason: 'Ticket 4711' }
const act = { sub: given.actor }
const impersonate = (id: string, key: string, json: object = given) => ({
  method: 'POST',
  path: `/client/user/${id}/impersonate`,
  key,
  json,
})
const opened = plain(/^\{"token":"[\w.-]+","token_type":"Bearer","expires_in":900\}$/)

async function openKey({ account, clientele }: World): Promise<string> {
  const scopes = ['users:impersonate', 'users:read'] as const
  return (await clientele.apiKeys.create(account.id, { scopes: [...scopes] })).apiKey
}

export const impersonationCases: readonly Case[] = [
  flow('a person acts as a user: every answer about the token names the person', async (world) => {
    const user = await world.createUser()
    const key = await openKey(world)
    const { token } = JSON.parse((await world.check(impersonate(user.id, key), opened)).body)
    const auth = '/client/user/auth'
    const ask = async (path: string, json: object) =>
      JSON.parse((await world.send({ method: 'POST', path: `${auth}/${path}`, json })).body)
    const bearer = `Bearer ${token}`
    const valid = { isValid: true, success_code: 200, user, act }
    expect(await ask('validation-token', { token: bearer })).toEqual(valid)
    expect(await ask('validation-tokens', { tokens: [bearer] })).toEqual({ results: [valid] })
    const form = { headers: ['content-type', 'application/x-www-form-urlencoded'] }
    const introspected = { method: 'POST', path: `${auth}/introspect`, body: `token=${token}` }
    const about = await world.send({ ...introspected, ...form })
    expect(JSON.parse(about.body)).toMatchObject({ active: true, act, amr: [], auth_time: 0 })
    const path = `/client/user/${user.id}/session`
    const { data } = JSON.parse((await world.send({ path })).body)
    expect(data).toMatchObject([{ impersonated_by: given.actor, amr: [] }])
    const events = await world.send({ path: '/client/event?type=user.impersonated' })
    const [event] = JSON.parse(events.body).data
    expect(event).toMatchObject({
      actor: { type: 'api_key' },
      data: { user, session_id: data[0].id, impersonated_by: given.actor, reason: given.reason },
    })
    await world.check({ method: 'DELETE', path: `${path}/${data[0].id}` }, noContent)
    expect(await ask('validation-token', { token: bearer })).toMatchObject({
      code: 'token_revoked',
    })
  }),
  flow('impersonation: a key without the scope, and users whom it refuses', async (world) => {
    const { id } = await world.createUser()
    await world.check(impersonate(id, world.key), lacking('users:impersonate'))
    const key = await openKey(world)
    await world.check(impersonate(absentId, key), problem('user_not_found'))
    await world.clientele.users.deactivate(world.account.id, id)
    await world.check(impersonate(id, key), problem('user_inactive'))
  }),
  flow('impersonation: wrong input', async (world) => {
    const { id } = await world.createUser()
    const key = await openKey(world)
    await world.check(
      impersonate(id, key, { actor: 'a\u0007', expires_in: 59, expiresIn: 60 }),
      invalid(
        ['/actor', 'text_not_allowed', 'must not contain control characters'],
        ['/reason', 'required', 'is required'],
        ['/expires_in', 'too_small', 'must be at least 60'],
        ['/expiresIn', 'unrecognized', 'is not known here (did you mean expires_in?)'],
      ),
    )
  }),
]
