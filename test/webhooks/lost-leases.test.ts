import type { Repository } from '@clientele/core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { accept, answerWith, eventually, receive, WebhookWorld } from './webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a deliverer on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  afterEach(() => void vi.restoreAllMocks())

  test('sends nothing to an endpoint that another process has leased while the request waited', async () => {
    world.now = Date.now()
    const opened = openRepository(database.url)
    let wait: (() => Promise<unknown>) | undefined
    const readPlaced: Repository['events']['readPlaced'] = async (accountId, wanted) => {
      // One event alone is read before another attempt of it.
      if (wanted.limit === 1) await wait?.()
      return opened.events.readPlaced(accountId, wanted)
    }
    const repository = { ...opened, events: { ...opened.events, readPlaced } }
    const clientele = await world.deliver({ repository })
    const receiver = await receive(answerWith(500))
    const { accountId } = await world.addWebhook(clientele, {
      url: receiver.url,
      types: ['user.created'],
    })
    const [id] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    await world.pass(clientele)
    receiver.answer = accept
    let waits = 0
    wait = async () => {
      waits++
      wait = undefined
      await runSql(
        database.url,
        `update clientele_webhooks set lease_holder = '${accountId}', lease_until = ${world.now + 60_000} where account_id = '${accountId}'`,
      )
      const now = performance.now.bind(performance)
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 15_000)
    }
    world.now += 6_001
    await eventually(() => waits).toBe(1)
    await world.pass(clientele)
    expect(receiver.received).toHaveLength(1)
    // The other process ended.
    world.now += 60_001
    await eventually(() => receiver.received.map(({ subjectId }) => subjectId)).toEqual([id, id])
  })
})
