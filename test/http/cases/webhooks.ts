import { expect } from 'vitest'
import { feedCursor } from '../../support/feed-cursor.ts'
import {
  type Answer,
  invalid,
  json,
  lacking,
  noContent,
  notAllowed,
  problem,
} from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, row } from './case.ts'
import type { Issue } from './create-case.ts'

const root = '/client/webhook'
const absent = `${root}/${absentId}`
const howToAllow =
  '(allowed by ALLOW_PRIVATE_ADDRESSES=true, allowPrivateAddresses in createClientele)'
// A public address: no name has to be looked up.
const url = 'https://8.8.8.8/hook'
const urlIssue = (message: string): Issue => ['/url', 'url', message]
const typeIssue = (index: number, meant?: string): Issue => [
  `/types/${index}`,
  'value',
  `must be a type of event, a group of them like user.*, or *${meant ? ` (did you mean ${meant}?)` : ''}`,
]

const accepted: Answer = {
  status: 202,
  headers: { 'cache-control': 'no-store', ...requestId },
  body: '',
}

/** An answer with an endpoint, to the letter but for its id, secret and times. */
function answer(status: number, webhook: object, secret = '', headers = {}): Answer {
  const full = {
    ...{ url, types: ['*'], description: '', is_active: true, disabled_reason: null },
    ...webhook,
  }
  const body = JSON.stringify(full)
    .slice(1, -1)
    .replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const at = '"[0-9]{4}-[0-9T:.-]+Z"'
  return {
    status,
    headers: { 'content-type': json, 'cache-control': 'no-store', ...requestId, ...headers },
    body: new RegExp(
      `^\\{"id":"[0-9a-f-]{36}",${body},"created_at":${at},"updated_at":${at}${secret}\\}$`,
    ),
  }
}

const secretMember = ',"secret":"whsec_[A-Za-z0-9+\\/]{43}="'

async function create(world: World, input: object = {}): Promise<{ id: string; secret: string }> {
  const call = { method: 'POST', path: root, json: { url, ...input } }
  return JSON.parse((await world.send(call)).body)
}

const refuses = (name: string, input: object, ...issues: Issue[]): Case =>
  flow(`create webhook: ${name}`, async (world) => {
    await world.check({ method: 'POST', path: root, json: input }, invalid(...issues))
    expect(await world.clientele.webhooks.list(world.account.id)).toEqual([])
  })

/** Every operation on one endpoint, with a body that it takes. */
const named: [method: string, path: string, json?: object][] = [
  ['GET', ''],
  ['PATCH', '', { description: 'x' }],
  ['DELETE', ''],
  ['POST', '/secret/rotate'],
  ['POST', '/test'],
  ['POST', '/replay', { after: 'x' }],
  ['GET', '/attempt'],
]

export const webhookCases: readonly Case[] = [
  flow('create webhook: missing members have defaults', async (world) => {
    const call = { method: 'POST', path: root, json: { url } }
    const reply = await world.send(call)
    const { id } = JSON.parse(reply.body) as { id: string }
    expect(reply.headers.location).toBe(`${world.prefix}${root}/${id}`)
    const read = await world.check({ path: `${root}/${id}` }, answer(200, {}))
    expect(JSON.parse(reply.body)).toMatchObject(JSON.parse(read.body))
    expect(reply.body).toMatch(new RegExp(`${secretMember}\\}$`))
    await world.check({ path: root }, { ...answer(200, {}), body: `{"data":[${read.body}]}` })
  }),
  flow('create webhook: given members are stored', async (world) => {
    const input = {
      url: 'https://8.8.8.8:8443/a?b=c',
      types: ['user.*', 'session.revoked', 'user.*'],
      description: ' Our CRM ',
      is_active: false,
    }
    const { id } = await create(world, input)
    const kept = {
      ...input,
      types: ['user.*', 'session.revoked'],
      description: 'Our CRM',
    }
    await world.check({ path: `${root}/${id}` }, answer(200, kept))
  }),
  refuses('nothing', {}, ['/url', 'required', 'is required']),
  refuses('no URL', { url: 'hook' }, urlIssue('must be a URL')),
  refuses(
    'http',
    { url: 'http://8.8.8.8/' },
    urlIssue(`must begin with https://, not http:// ${howToAllow}`),
  ),
  refuses('another scheme', { url: 'ftp://8.8.8.8/' }, urlIssue('must begin with https://')),
  refuses(
    'credentials',
    { url: 'https://ada:secret@8.8.8.8/' },
    urlIssue('must not have credentials in it'),
  ),
  ...[
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    '0x7f.1',
    '[::ffff:7f00:1]',
    'localhost',
    'db.internal',
  ].map((host) =>
    refuses(
      `a private address: ${host}`,
      { url: `https://${host}/` },
      urlIssue(`must not lead to a private network ${howToAllow}`),
    ),
  ),
  ...['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal', '[::ffff:a9fe:a9fe]'].map(
    (host) =>
      refuses(
        `a metadata address: ${host}`,
        { url: `https://${host}/` },
        urlIssue('must not lead to a link-local, metadata or reserved address'),
      ),
  ),
  refuses('a URL that is too long', { url: `${url}${'x'.repeat(2048)}` }, [
    '/url',
    'too_long',
    'must have at most 2048 characters',
  ]),
  refuses('no types', { url, types: [] }, ['/types', 'too_few', 'must not be empty']),
  refuses(
    'types that do not exist',
    { url, types: ['user.*', 'user.renamed', 'usr.*', 'user', '.*', 'user.**'] },
    ...[typeIssue(1), typeIssue(2, 'user.*'), typeIssue(3, 'user.*')],
    ...[typeIssue(4), typeIssue(5, 'user.*')],
  ),
  refuses('a description that is too long', { url, description: 'x'.repeat(201) }, [
    '/description',
    'too_long',
    'must have at most 200 characters',
  ]),
  refuses(
    'what is not known',
    { url, secret: 'x', isActive: true },
    ['/secret', 'unrecognized', 'is not known here'],
    ['/isActive', 'unrecognized', 'is not known here (did you mean is_active?)'],
  ),
  refuses(
    'what is of another type',
    { url, types: 'user.*', is_active: 'yes' },
    ['/types', 'type', 'must be an array'],
    ['/is_active', 'type', 'must be a boolean'],
  ),
  flow('at most ten webhooks', async (world) => {
    const made = await Promise.all(Array.from({ length: 12 }, () => create(world)))
    expect(made.filter(({ secret }) => secret !== undefined)).toHaveLength(10)
    await world.check(
      { method: 'POST', path: root, json: { url } },
      problem('webhook_limit_reached'),
    )
    const [first] = await world.clientele.webhooks.list(world.account.id)
    await world.check({ method: 'DELETE', path: `${root}/${first?.id}` }, noContent)
    expect((await create(world)).secret).toMatch(/^whsec_/)
  }),
  flow('change a webhook: the given members only', async (world) => {
    const { id } = await create(world)
    const path = `${root}/${id}`
    const before = (await world.send({ path })).body
    const same = { ...answer(200, {}), body: before }
    await world.check({ method: 'PATCH', path, json: {} }, same)
    await world.check({ method: 'PATCH', path, json: { url, is_active: true } }, same)
    world.clock.now += 1000
    const changes = { types: ['user.deleted'], description: 'CRM', is_active: false }
    const changed = await world.check(
      { method: 'PATCH', path, json: changes },
      answer(200, changes),
    )
    expect(JSON.parse(changed.body).updated_at).not.toBe(JSON.parse(before).updated_at)
    const wrong = { url: 'https://127.0.0.1/' }
    await world.check(
      { method: 'PATCH', path, json: wrong },
      invalid(urlIssue(`must not lead to a private network ${howToAllow}`)),
    )
    await world.check({ path }, { ...answer(200, {}), body: changed.body })
  }),
  flow('rotate a secret', async (world) => {
    const { id, secret } = await create(world)
    const call = { method: 'POST', path: `${root}/${id}/secret/rotate` }
    const body = /^\{"secret":"whsec_[A-Za-z0-9+/]{43}="\}$/
    const reply = await world.check(call, { ...answer(200, {}), body })
    expect(reply.body).not.toContain(secret)
    expect((await world.send({ path: `${root}/${id}` })).body).not.toContain('whsec_')
  }),
  flow('test, replay, attempts', async (world) => {
    const { id } = await create(world)
    const path = `${root}/${id}`
    const empty = { ...answer(200, {}), body: '{"data":[]}' }
    await world.check({ path: `${path}/attempt` }, empty)
    await world.check({ method: 'POST', path: `${path}/test` }, accepted)
    const nextCursor = feedCursor(world.account.id, 1)
    const replay = { method: 'POST', path: `${path}/replay`, json: { after: nextCursor } }
    await world.check(replay, accepted)
    await world.check(
      { method: 'PATCH', path, json: { is_active: false } },
      answer(200, { is_active: false }),
    )
    await world.check(replay, problem('webhook_inactive'))
  }),
  flow('replay: an invalid cursor, or one of another account', async (world) => {
    const { id } = await create(world)
    const path = `${root}/${id}/replay`
    const other = await world.otherTenant()
    await world.clientele.webhooks.create(other.account.id, { url })
    const nextCursor = feedCursor(other.account.id, 1)
    for (const after of ['x', '0', '-1', 'AAAA', nextCursor]) {
      const reply = await world.send({ method: 'POST', path, json: { after } })
      expect([after, reply.status]).toEqual([after, 422])
    }
    await world.check(
      { method: 'POST', path, json: {} },
      invalid(['/after', 'required', 'is required']),
    )
  }),
  ...named.map(([method, path, body]) =>
    flow(`a webhook of another account does not exist: ${method} ${path}`, async (world) => {
      const other = await world.otherTenant()
      const theirs = await world.clientele.webhooks.create(other.account.id, { url })
      const after = feedCursor(world.account.id, 0)
      for (const id of [absentId, theirs.id, theirs.id.toUpperCase(), 'x', '1']) {
        const input = body && { json: 'after' in body ? { after } : body }
        await world.check(
          { method, path: `${root}/${id}${path}`, ...input },
          problem('webhook_not_found'),
        )
      }
      const { secret: _, ...kept } = theirs
      expect(await world.clientele.webhooks.list(other.account.id)).toEqual([kept])
    }),
  ),
  flow('webhooks need their scope', async (world) => {
    const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
      scopes: ['users:read', 'users:write', 'tokens:validate', 'tokens:issue'],
    })
    const refused = lacking('webhooks:write')
    await world.check({ method: 'POST', path: root, json: { url }, key }, refused)
    await world.check({ path: root, key }, refused)
    for (const [method, path, body] of named) {
      const input = body && { json: body }
      await world.check({ method, path: `${absent}${path}`, key, ...input }, refused)
    }
  }),
  row('webhooks without a key', { path: root, key: null }, problem('api_key_missing')),
  row('405 on webhooks', { method: 'DELETE', path: root }, notAllowed('POST, GET, HEAD')),
  row(
    '405 on a webhook',
    { method: 'PUT', path: absent, json: {} },
    notAllowed('GET, HEAD, PATCH, DELETE'),
  ),
  row('no route below webhooks', { path: `${root}/` }, problem('route_not_found')),
  row('no route: a webhook’s nothing', { path: `${absent}/nothing` }, problem('route_not_found')),
]
