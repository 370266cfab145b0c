import { expect } from 'vitest'
import { invalid } from '../support/answers.ts'
import { type Case, flow } from './case.ts'

const path = '/client/event'

export const eventCases: readonly Case[] = [
  flow('events: a page, its cursor, and what follows', async (world) => {
    const call = {
      method: 'POST',
      path: '/client/user',
      json: { name: 'Ada', email: 'ada@example.com', password: 'password' },
    }
    const created = await world.send(call)
    const user = JSON.parse(created.body)
    const query = `type=user.*&user_id=${user.id}&limit=1`
    const reply = await world.send({ path: `${path}?${query}` })
    expect(reply.status).toBe(200)
    expect(reply.headers['cache-control']).toBe('no-store')
    const page = JSON.parse(reply.body)
    expect(Object.keys(page)).toEqual(['data', 'next_cursor', 'has_more'])
    expect(Object.keys(page.data[0])).toEqual([
      'id',
      'type',
      'created_at',
      'actor',
      'request_id',
      'subject',
      'data',
    ])
    expect(page.data).toMatchObject([
      {
        type: 'user.created',
        actor: { type: 'api_key' },
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        subject: { type: 'user', id: user.id },
        data: { user },
      },
    ])
    const next = await world.send({ path: `${path}?after=${page.next_cursor}&user_id=${user.id}` })
    expect(JSON.parse(next.body)).toMatchObject({ data: [], has_more: false })
    const since = encodeURIComponent(page.data[0].created_at)
    const back = await world.send({
      path: `${path}?sort=-created_at&actor=api_key&since=${since}&user_id=${user.id}`,
    })
    expect(JSON.parse(back.body)).toMatchObject({ data: page.data, has_more: false })
  }),
  flow('events: an invalid query is explained', async (world) => {
    await world.check(
      { path: `${path}?limit=0` },
      invalid(['/limit', 'too_small', 'must be at least 1']),
    )
    await world.check(
      { path: `${path}?after=x` },
      invalid(['/after', 'cursor', 'is not a cursor of this feed']),
    )
    await world.check(
      { path: `${path}?sort=-created_at&wait=1` },
      invalid(['/wait', 'value', 'is for reading oldest first only']),
    )
  }),
]
