import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { eventually, receive, WebhookWorld } from './webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

/** More than are all searched each time */
const endpointCount = 1_200

describe.each(databases)('among many endpoints, on $name', ({ name, open }) => {
  let database: OpenDatabase
  let world: WebhookWorld
  beforeAll(async () => {
    database = await open()
    world = new WebhookWorld(() => database.url)
    await addIdleEndpoints()
  })
  afterAll(() => database.close())

  /** Each in an account of its own, whose ids come before those of others */
  async function addIdleEndpoints(): Promise<void> {
    const clientele = await openClientele(database.url, { webhooks: { deliver: false } })
    const { id: first } = await clientele.accounts.create({ name: 'Acme' })
    const endpoint = { url: 'https://example.com/', types: ['*'] }
    const webhook = await clientele.webhooks.create(first, endpoint)
    await clientele.close()
    const [cast, hex] =
      name === 'postgres' ? ['::uuid', `lpad(to_hex(n), 12, '0')`] : ['', `printf('%012x', n)`]
    const id = `('018bcfe5-6800-7000-8000-' || ${hex})${cast}`
    const numbers = `(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${endpointCount}) select n from s) s`
    await runSql(
      database.url,
      `insert into clientele_accounts (id, name, created_at) select ${id}, 'Acme', 1 from ${numbers}`,
      `insert into clientele_webhooks (account_id, id, url, types, description, is_active, encrypted_secret, created_at,
         updated_at, position, attempt_count, lease_until)
       select ${id}, ${id}, w.url, w.types, '', true, w.encrypted_secret, 1, 1, 0, 0, 0
       from ${numbers}, clientele_webhooks w where w.id = '${webhook.id}'`,
    )
  }

  test('an event that another process writes is delivered, and so is a retry', async () => {
    await world.deliver()
    const writer = await world.deliver({ webhooks: { deliver: false } })
    const receiver = await receive()
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(writer, input)
    receiver.answer = (response) => void response.writeHead(500).end()
    await world.createUsers(writer, accountId, 1)
    await eventually(() => writer.webhooks.listAttempts(accountId, webhook.id)).toHaveLength(1)
    receiver.answer = (response) => void response.writeHead(204).end()
    world.now += 10_000
    await eventually(() => receiver.received.length).toBe(2)
  })

  test('the turn of an account comes, however long ago its events were written', async () => {
    const writer = await world.deliver({ webhooks: { deliver: false } })
    const receiver = await receive()
    const { accountId } = await world.addWebhook(writer, {
      url: receiver.url,
      types: ['user.created'],
    })
    await world.createUsers(writer, accountId, 2)
    // A deliverer that starts now has not seen them come.
    await world.deliver()
    await eventually(() => receiver.received.length).toBe(2)
  })

  test('a search finds the accounts with new events and due deliveries, and no others', async () => {
    const repository = await openRepository(database.url)
    const clientele = await world.deliver({ webhooks: { deliver: false } })
    const { end } = await repository.webhooks.findNews(undefined, 0)
    const { accountId } = await world.addWebhook(clientele, {
      url: 'https://example.com/',
      types: ['*'],
    })
    const { id: without } = await clientele.accounts.create({ name: 'Without endpoints' })
    await world.createUsers(clientele, accountId, 2)
    await world.createUsers(clientele, without, 1)
    const news = await repository.webhooks.findNews(end, 0)
    expect(news.accountIds).toEqual([accountId])
    expect((await repository.webhooks.findNews(news.end, 0)).accountIds).toEqual([])
    await runSql(
      database.url,
      `insert into clientele_webhook_deliveries (account_id, webhook_id, event_id, position, attempts, next_attempt_at)
       select account_id, id, id, 0, 1, 5 from clientele_webhooks where account_id = '${accountId}'`,
    )
    expect((await repository.webhooks.findNews(news.end, 4)).accountIds).toEqual([])
    expect((await repository.webhooks.findNews(news.end, 5)).accountIds).toEqual([accountId])
    // Those of endpoints that are off stay due.
    const aMinuteLater = await repository.webhooks.findNews(news.end, 60_006)
    expect(aMinuteLater.accountIds).toEqual([])
    await repository.storage.close()
  })
})
