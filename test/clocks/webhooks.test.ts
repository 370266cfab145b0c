import { afterAll, beforeAll, describe, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { runSql } from '../support/run-sql.ts'
import { accept, answerWith, eventually, receive, WebhookWorld } from '../webhooks/webhook-world.ts'

const day = 24 * 3_600_000

describe.each(databases)('webhooks on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('do not wait for a time that the clock showed once', async () => {
    const timers = holdTimers()
    const clientele = await world.deliver()
    const receiver = await receive(answerWith(503))
    const input = { url: receiver.url, types: ['user.*'] }
    const { accountId } = await world.addWebhook(clientele, input)
    world.now += 400 * day
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    const where = `where account_id = '${accountId}'`
    const read = (text: string) => runSql(database.url, text)
    const pending = `select event_id from clientele_webhook_deliveries ${where}`
    await eventually(async () => (await read(pending)).length).toBe(1)
    const free = `select id from clientele_webhooks ${where} and lease_until <= ${world.now}`
    await eventually(async () => (await read(free)).length).toBe(1)
    world.now -= 400 * day
    receiver.answer = accept
    timers.pass(1_000)
    await eventually(() => receiver.received.length).toBe(2)
    await eventually(async () => (await read(pending)).length).toBe(0)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(3)
  })
})
