import { expect } from 'vitest'
import { feedCursor } from '../../support/feed-cursor.ts'
import { invalid, json, lacking, notAllowed, problem } from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow } from './case.ts'

const of = (id: string, verb: 'export' | 'erase') => `/client/user/${id}/${verb}`
const noSuchUser = problem('user_not_found')
const erase = (id: string, headers: readonly string[] = []) => ({
  method: 'POST',
  path: of(id, 'erase'),
  headers,
})
const headersOfJson = { 'content-type': json, 'cache-control': 'no-store', ...requestId }

async function typesOf(world: World): Promise<string[]> {
  const { data } = await world.clientele.events.read(world.account.id, { types: ['user.*'] })
  return data.map(({ type }) => type)
}

export const personalDataCases: readonly Case[] = [
  flow('export: all stored data about a user', async (world) => {
    const { email, id } = await world.createUser('ada@example.com', { metadata: { plan: 'pro' } })
    const other = await world.createUser('grace@example.com')
    const link = { method: 'POST', json: { issuer: 'https://login.example.com', subject: 'ada' } }
    const linked = await world.send({ path: `/client/user/${id}/identity`, ...link })
    await world.logIn(email)
    const wrong = { email, password: 'wrong password' }
    await world.clientele.auth.logIn(world.account.id, wrong).catch(() => {})
    const answer = { status: 200, headers: headersOfJson, body: /^\{"user":\{"id":/ }
    const reply = await world.check({ path: of(id, 'export') }, answer)
    const data = JSON.parse(reply.body)
    expect(Object.keys(data)).toEqual([
      'user',
      'sessions',
      'two_factor',
      'passkeys',
      'devices',
      'user_tokens',
      'identities',
      'scim',
      'verified_email',
      'former_emails',
      'has_more_former_emails',
      'email_tokens',
      'events',
      'next_cursor',
      'has_more',
    ])
    const user = JSON.parse((await world.send({ path: `/client/user/${id}` })).body)
    const { body: sessions } = await world.send({ path: `/client/user/${id}/session` })
    const { body: factors } = await world.send({ path: `/client/user/${id}/two-factor` })
    const { body: feed } = await world.send({ path: `/client/event?user_id=${id}` })
    expect(data).toMatchObject({
      user,
      sessions: JSON.parse(sessions).data,
      two_factor: JSON.parse(factors),
      devices: [],
      user_tokens: [],
      identities: [JSON.parse(linked.body)],
      scim: null,
      verified_email: null,
      former_emails: [],
      email_tokens: [],
      has_more: false,
    })
    expect(data.sessions).toHaveLength(1)
    const types = ['user.created', 'identity.linked', 'user.logged_in', 'user.login_failed']
    expect(data.events.map(({ type }: { type: string }) => type)).toEqual(types)
    // To the letter as in the feed, which also has the export itself by now.
    expect([...data.events, expect.objectContaining({ type: 'user.exported' })]).toEqual(
      JSON.parse(feed).data,
    )
    expect(reply.body).not.toContain(other.id)
  }),
  flow('export: a page of events, and what follows', async (world) => {
    const { id } = await world.createUser()
    await world.clientele.users.deactivate(world.account.id, id)
    await world.clientele.users.activate(world.account.id, id)
    const seen: string[] = []
    let after = ''
    for (const more of [true, true, false]) {
      const { body } = await world.send({ path: `${of(id, 'export')}?limit=1${after}` })
      const page = JSON.parse(body)
      seen.push(...page.events.map(({ type }: { type: string }) => type))
      after = `&after=${page.next_cursor}`
      if (!more) break
      expect(page.has_more).toBe(true)
    }
    expect(seen).toEqual(['user.created', 'user.deactivated', 'user.activated'])
  }),
  flow('export: an invalid query is explained, and writes no event', async (world) => {
    const { id } = await world.createUser()
    const path = of(id, 'export')
    await world.check(
      { path: `${path}?limit=501` },
      invalid(['/limit', 'too_large', 'must be at most 500']),
    )
    const cursor = invalid(['/after', 'cursor', 'is not a cursor of this feed'])
    await world.check({ path: `${path}?after=x` }, cursor)
    const { account } = await world.otherTenant()
    await world.check({ path: `${path}?after=${feedCursor(account.id, 0)}` }, cursor)
    await world.check(
      { path: `${path}?events=1` },
      invalid(['/events', 'unrecognized', 'is not known here']),
    )
    expect(await typesOf(world)).toEqual(['user.created'])
  }),
  flow(
    'export and erase: a user of another account, an unknown user, a deleted user',
    async (world) => {
      const { id } = await world.createUser()
      const { key } = await world.otherTenant()
      const deleted = await world.createUser('gone@example.com')
      await world.clientele.users.delete(world.account.id, deleted.id)
      const asked = [
        [id, key],
        [absentId, world.key],
        [deleted.id, world.key],
        ['x', world.key],
      ] as const
      for (const [user, as] of asked) {
        await world.check({ path: of(user, 'export'), key: as }, noSuchUser)
        await world.check({ ...erase(user), key: as }, noSuchUser)
        await world.check({ ...erase(user, ['idempotency-key', 'k']), key: as }, noSuchUser)
      }
      expect((await world.send({ path: `/client/user/${id}` })).status).toBe(200)
      expect(await typesOf(world)).toEqual(['user.created', 'user.created', 'user.deleted'])
    },
  ),
  flow('export and erase: the scopes that they need', async (world) => {
    const { id } = await world.createUser()
    const create = async (scope: 'users:read' | 'users:write') =>
      (await world.clientele.apiKeys.create(world.account.id, { scopes: [scope] })).apiKey
    const [reader, writer] = [await create('users:read'), await create('users:write')]
    await world.check({ path: of(id, 'export'), key: writer }, lacking('users:read'))
    await world.check({ ...erase(id), key: reader }, lacking('users:write'))
    expect((await world.send({ path: of(id, 'export'), key: reader })).status).toBe(200)
    expect((await world.send({ ...erase(id), key: writer })).status).toBe(200)
  }),
  flow('erase: a receipt, and no user is left', async (world) => {
    const { id } = await world.createUser()
    const token = await world.logIn()
    const reply = await world.check(erase(id), {
      status: 200,
      headers: headersOfJson,
      body: /^\{"id":"[0-9a-f-]{36}","erased_at":"2026-05-05T23:41:45\.619Z","removed":\{.+\},"retained":\[.+\],"receipt":"[\w-]+\.[\w-]+\.[\w-]+"\}$/,
    })
    const { receipt, ...members } = JSON.parse(reply.body)
    const [, payload = ''] = receipt.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(members)
    expect(members).toMatchObject({
      id,
      removed: { clientele_users: 1, clientele_sessions: 1, clientele_replies: 0 },
    })
    await world.check(erase(id), noSuchUser)
    await world.check({ path: `/client/user/${id}` }, noSuchUser)
    const { body } = await world.send({
      method: 'POST',
      path: '/client/user/auth/validation-token',
      json: { token: `Bearer ${token}` },
    })
    expect(JSON.parse(body)).toMatchObject({ isValid: false, code: 'token_user_not_found' })
    const { body: feed } = await world.send({ path: '/client/event?type=user.*' })
    const { data } = JSON.parse(feed)
    // Each in its place, without the person
    const types = ['user.created', 'user.logged_in', 'user.erased']
    expect(data).toMatchObject(types.map((type) => ({ type, subject: { type: 'user', id } })))
    expect(data).toHaveLength(types.length)
    expect(feed).not.toContain('ada@example.com')
    expect(feed).not.toContain('Lovelace')
    expect((await world.send({ path: '/client/user' })).body).toContain('"total":0')
    // The address is free.
    await world.createUser()
  }),
  flow('erase: a repeat with its key gets the first response', async (world) => {
    const { id } = await world.createUser()
    const { id: otherId } = await world.createUser('grace@example.com')
    const call = erase(id, ['idempotency-key', 'key-1'])
    const replies = await Promise.all(Array.from({ length: 10 }, () => world.send(call)))
    const [first] = replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
    expect(first?.status).toBe(200)
    expect(replies.map(({ body }) => body)).toEqual(replies.map(() => first?.body))
    await world.check(
      erase(otherId, ['idempotency-key', 'key-1']),
      problem('idempotency_key_reused'),
    )
    const types = await typesOf(world)
    expect(types.filter((type) => type === 'user.erased')).toHaveLength(1)
  }),
  flow('export and erase: other methods', async (world) => {
    const { id } = await world.createUser()
    await world.check({ path: of(id, 'erase') }, notAllowed('POST'))
    await world.check({ method: 'POST', path: of(id, 'export') }, notAllowed('GET, HEAD'))
    expect((await world.send({ path: `/client/user/${id}` })).status).toBe(200)
  }),
]
