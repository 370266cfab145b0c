import type { DeliveryEvent, Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { runSql } from '../support/run-sql.ts'
import { eventually, receive, WebhookWorld } from './webhook-world.ts'

const day = 24 * 3_600_000

describe.each(anyDatabase)('a delivery on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('to a receiver that does not answer has that reason', async () => {
    world.now = Date.now()
    const told: object[] = []
    const clientele = await world.deliver({
      logger: { warn() {}, error() {}, info: (about) => void told.push(about) },
    })
    const url = `http://127.0.0.1:${await findFreePort()}/`
    const input = { url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { status: null, reason: 'no_answer' },
    ])
    const [attempt] = await clientele.webhooks.listAttempts(accountId, webhook.id)
    expect(Object.keys(attempt ?? {})).not.toContain('cause')
    // The operator learns more than the account.
    expect(told).toContainEqual({
      ...{ accountId, webhookId: webhook.id, eventId: attempt?.eventId },
      ...{ cause: 'refused', code: 'ECONNREFUSED' },
    })
  })

  test.each([
    ['forbidden_address', 'no HTTP', () => 'http://127.0.0.1:1/'],
    ['dns', 'no HTTP', () => 'https://nowhere.invalid/'],
    ['tls', 'no HTTP', (url: string) => url.replace('http:', 'https:')],
    ['invalid_answer', 'no HTTP', (url: string) => url],
    ['invalid_answer', 'HTTP/1.1 600 None', (url: string) => url],
    ['invalid_answer', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10), (url: string) => url],
    ['connection_closed', '', (url: string) => url],
  ])('without an answer is logged with the cause: %s, after %j', async (cause, text, toUrl) => {
    world.now = Date.now()
    const webhooks = { allowPrivateAddresses: cause !== 'forbidden_address' }
    const receiver = await receive(
      (response) => void response.socket?.end(text === '' ? '' : `${text}\r\n\r\n`),
    )
    const { clientele: lax } = await world.start({ webhooks: { allowPrivateAddresses: true } })
    const input = { url: toUrl(receiver.url), types: ['user.created'] }
    const { accountId } = await world.addWebhook(lax, input)
    const told: object[] = []
    const logger = { warn() {}, error() {}, info: (about: object) => void told.push(about) }
    const clientele = await world.deliver({ webhooks, logger })
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => told).toContainEqual(expect.objectContaining({ accountId, cause }))
  })

  test('comes, and the fault is logged, where events cannot be placed for a while', async () => {
    world.now = Date.now()
    const opened = openRepository(database.url)
    let faults = 0
    const placeNews: Repository['webhooks']['placeNews'] = async (accountIds) => {
      if (faults > 0) {
        faults--
        throw new Error('The feed is locked.')
      }
      return opened.webhooks.placeNews(accountIds)
    }
    const told: string[] = []
    const clientele = await world.deliver({
      repository: { ...opened, webhooks: { ...opened.webhooks, placeNews } },
      logger: { info() {}, error() {}, warn: (_about, message) => void told.push(message) },
    })
    const receiver = await receive()
    const { accountId } = await world.addWebhook(clientele, { url: receiver.url })
    faults = 2
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.ofType('user.created').length).toBe(1)
    expect(told).toContain('The due webhooks could not be read; the check is repeated.')
  })

  test('that fails by our own fault is an attempt: stored, reported and counted', async () => {
    world.now = Date.now()
    const logged: object[] = []
    const heard: DeliveryEvent[] = []
    const clientele = await world.deliver({
      logger: { info: () => {}, warn: () => {}, error: (about) => void logged.push(about) },
      observers: [() => ({ delivery: (event) => void heard.push(event) })],
    })
    const receiver = await receive()
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    // Its secret is one that no key decrypts.
    const where = `where id = '${webhook.id}'`
    const table = 'clientele_webhooks'
    const select = `select encrypted_secret as secret from ${table} ${where}`
    const [kept] = (await runSql(database.url, select)) as { secret: string }[] // what it selects
    await runSql(database.url, `update ${table} set encrypted_secret = 'none' ${where}`)
    await world.createUsers(clientele, accountId, 2)

    const list = () => clientele.webhooks.listAttempts(accountId, webhook.id)
    const failed = { status: null, reason: 'error', attempt: 1 }
    await eventually(list).toMatchObject([failed, failed])
    // Repeats for webhooks of earlier tests may come meanwhile.
    expect(heard.filter(({ webhookId }) => webhookId === webhook.id)).toMatchObject([
      failed,
      failed,
    ])
    const [first] = await list()
    expect(logged).toContainEqual(
      expect.objectContaining({ accountId, webhookId: webhook.id, eventId: first?.eventId }),
    )

    // What could not be sent is sent when it can be.
    await runSql(database.url, `update ${table} set encrypted_secret = '${kept?.secret}' ${where}`)
    world.now += 6_001
    await eventually(() => receiver.received.length).toBe(2)
    await eventually(list).toMatchObject(
      [2, 2, 1, 1].map((attempt) => ({ attempt, reason: attempt === 2 ? null : 'error' })),
    )
  })

  test('that fails by our own fault for five days switches the endpoint off', async () => {
    world.now = Date.now()
    const clientele = await world.deliver({ logger: { info() {}, warn() {}, error() {} } })
    const receiver = await receive()
    const { accountId, webhook } = await world.addWebhook(clientele, { url: receiver.url })
    const broken = `update clientele_webhooks set encrypted_secret = 'none' where id = '${webhook.id}'`
    await runSql(database.url, broken)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).not.toEqual([])
    await world.pass(clientele)
    world.now += 5 * day
    await eventually(() => clientele.webhooks.find(accountId, webhook.id)).toMatchObject({
      isActive: false,
      disabledReason: 'failing',
    })
  })
})
