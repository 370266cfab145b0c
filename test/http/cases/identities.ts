import { expect } from 'vitest'
import { invalid, lacking, noContent, notAllowed, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, row } from './case.ts'
import type { Issue } from './create-case.ts'

const of = (userId: string, identityId?: string) =>
  `/client/user/${userId}/identity${identityId === undefined ? '' : `/${identityId}`}`
const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }
const link = (userId: string, input: object = google) => ({
  method: 'POST',
  path: of(userId),
  json: input,
})
const answered = (status: number, { issuer, subject } = google) => ({
  ...plain(
    new RegExp(
      `^\\{"id":"[0-9a-f-]{36}","issuer":"${issuer}","subject":"${subject}","created_at":"2026[^"]+Z","last_used_at":null\\}$`,
    ),
  ),
  status,
})
const noSuchUser = problem('user_not_found')
const noSuchIdentity = problem('identity_not_found')

const refuses = (name: string, input: object, ...issues: Issue[]): Case =>
  flow(`identity: ${name}`, async (world) => {
    const { id } = await world.createUser()
    await world.check(link(id, input), invalid(...issues))
    await world.check({ path: of(id) }, plain('{"data":[]}'))
  })

async function typesOf(world: World): Promise<string[]> {
  const { data } = await world.clientele.events.read(world.account.id, { types: ['identity.*'] })
  return data.map(({ type }) => type)
}

export const identityCases: readonly Case[] = [
  flow('identities are linked once, listed and unlinked', async (world) => {
    const { id } = await world.createUser()
    const first = await world.check(link(id), answered(201))
    await world.check(link(id), { ...plain(first.body), status: 200 })
    const upper = { ...google, subject: 'A' }
    await world.check(link(id, upper), answered(201, upper))
    const lower = { ...google, subject: 'a' }
    const last = await world.check(link(id, lower), answered(201, lower))
    const second = JSON.parse(last.body) as { id: string }
    const listed = await world.send({ path: of(id) })
    expect(JSON.parse(listed.body).data).toHaveLength(3)
    expect(JSON.parse(listed.body).data[0]).toEqual(JSON.parse(first.body))
    const { id: identityId } = JSON.parse(first.body) as { id: string }
    await world.check({ method: 'DELETE', path: of(id, identityId.toUpperCase()) }, noContent)
    await world.check({ method: 'DELETE', path: of(id, identityId) }, noSuchIdentity)
    await world.check({ method: 'DELETE', path: of(id, second.id) }, noContent)
    expect(await typesOf(world)).toEqual([
      'identity.linked',
      'identity.linked',
      'identity.linked',
      'identity.unlinked',
      'identity.unlinked',
    ])
  }),
  flow('an identity belongs to one user per account', async (world) => {
    const ada = await world.createUser()
    const grace = await world.createUser('grace@example.com')
    const { body } = await world.check(link(ada.id), answered(201))
    await world.check(link(grace.id), problem('identity_taken'))
    await world.check({ path: of(grace.id) }, plain('{"data":[]}'))
    const { account, key } = await world.otherTenant()
    const stranger = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
    const { user } = await world.clientele.users.create(account.id, stranger)
    await world.check({ ...link(user.id), key }, answered(201))
    const { id } = JSON.parse(body) as { id: string }
    await world.check({ method: 'DELETE', path: of(ada.id, id) }, noContent)
    await world.check(link(grace.id), answered(201))
  }),
  flow('at most 20 identities a user', async (world) => {
    const { id } = await world.createUser()
    const last = { ...google, subject: '19' }
    for (let count = 0; count < 20; count++)
      await world.check(link(id, { ...google, subject: `${count}` }), {
        ...answered(201, { ...google, subject: `${count}` }),
      })
    await world.check(link(id, { ...google, subject: '20' }), problem('identity_limit_reached'))
    await world.check(link(id, last), answered(200, last))
  }),
  refuses(
    'nothing',
    {},
    ['/issuer', 'required', 'is required'],
    ['/subject', 'required', 'is required'],
  ),
  refuses('an empty subject', { ...google, subject: '' }, [
    '/subject',
    'too_short',
    'must not be empty',
  ]),
  refuses('a number', { ...google, subject: 7 }, ['/subject', 'type', 'must be a string']),
  refuses(
    'too long',
    { issuer: 'i'.repeat(256), subject: 's'.repeat(256) },
    ['/issuer', 'too_long', 'must have at most 255 characters'],
    ['/subject', 'too_long', 'must have at most 255 characters'],
  ),
  refuses('control characters', { ...google, subject: 'a\nb' }, [
    '/subject',
    'text_not_allowed',
    'must not contain control characters',
  ]),
  refuses('an unknown member', { ...google, sub: 'x' }, [
    '/sub',
    'unrecognized',
    'is not known here',
  ]),
  flow('identities: a user of another account, an unknown user, an invalid id', async (world) => {
    const { id } = await world.createUser()
    const { body } = await world.check(link(id), answered(201))
    const identity = JSON.parse(body) as { id: string }
    const { key } = await world.otherTenant()
    for (const [user, as] of [
      [id, key],
      [absentId, world.key],
      ['x', world.key],
    ] as const) {
      await world.check({ path: of(user), key: as }, noSuchUser)
      await world.check({ ...link(user), key: as }, noSuchUser)
      await world.check({ method: 'DELETE', path: of(user, identity.id), key: as }, noSuchUser)
    }
    for (const absent of [absentId, 'x'])
      await world.check({ method: 'DELETE', path: of(id, absent) }, noSuchIdentity)
    const other = await world.createUser('grace@example.com')
    await world.check({ method: 'DELETE', path: of(other.id, identity.id) }, noSuchIdentity)
    await world.check({ path: of(id) }, plain(`{"data":[${body}]}`))
  }),
  flow('identities need their scopes', async (world) => {
    const { id } = await world.createUser()
    const create = async (scope: 'users:read' | 'users:write') =>
      (await world.clientele.apiKeys.create(world.account.id, { scopes: [scope] })).apiKey
    const [reader, writer] = [await create('users:read'), await create('users:write')]
    await world.check({ path: of(id), key: writer }, lacking('users:read'))
    await world.check({ ...link(id), key: reader }, lacking('users:write'))
    await world.check(
      { method: 'DELETE', path: of(id, absentId), key: reader },
      lacking('users:write'),
    )
  }),
  row(
    '405 on identities',
    { method: 'PUT', path: of(absentId), json: {} },
    notAllowed('GET, HEAD, POST'),
  ),
  row('405 on an identity', { path: of(absentId, absentId) }, notAllowed('DELETE')),
]
