import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { feedCursor } from '../support/feed-cursor.ts'
import { runSql } from '../support/run-sql.ts'
import { accept, answerWith, eventually, hang, receive, WebhookWorld } from './webhook-world.ts'

const types = ['user.created']
const endpointsOfAccount = 10
const retryMilliseconds = 6_001

describe.each(databases)('endpoints of two accounts that do not answer, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function addSlowAccounts(
    world: WebhookWorld,
    clientele: Clientele,
    url: string,
    accounts = 2,
    endpoints = endpointsOfAccount,
  ) {
    const added: { accountId: string; webhookIds: string[] }[] = []
    for (let count = 0; count < accounts; count++) {
      const { accountId, webhook } = await world.addWebhook(clientele, { url, types })
      const webhookIds = [webhook.id]
      while (webhookIds.length < endpoints)
        webhookIds.push((await world.addWebhook(clientele, { url, types }, accountId)).webhook.id)
      added.push({ accountId, webhookIds })
    }
    return added
  }
  type SlowAccounts = Awaited<ReturnType<typeof addSlowAccounts>>

  /** A repository that counts how often due endpoints are looked for, and how often a few events are read for a short turn. */
  function openCounted(url: string) {
    const opened = openRepository(url)
    const counts = { looks: 0, shortReads: 0 }
    const findDue: typeof opened.webhooks.findDue = (...input) => {
      counts.looks++
      return opened.webhooks.findDue(...input)
    }
    const readPlaced: typeof opened.events.readPlaced = (accountId, wanted) => {
      if (wanted.limit === 5) counts.shortReads++
      return opened.events.readPlaced(accountId, wanted)
    }
    const events = { ...opened.events, readPlaced }
    const webhooks = { ...opened.webhooks, findDue }
    return { repository: { ...opened, events, webhooks }, counts }
  }

  /** The longest list of attempts that one of the endpoints has */
  async function countAttempts(clientele: Clientele, slow: SlowAccounts): Promise<number> {
    const lists = slow.flatMap(({ accountId, webhookIds }) =>
      webhookIds.map((id) => clientele.webhooks.listAttempts(accountId, id)),
    )
    return Math.max(...(await Promise.all(lists)).map((list) => list.length))
  }

  test("delay no other account's endpoint until their requests time out", async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const [good, bad] = [await receive(), await receive(hang)]
    const slow = await addSlowAccounts(world, clientele, bad.url)
    const { accountId } = await world.addWebhook(clientele, { url: good.url, types })
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    await eventually(() => bad.received.length).toBe(2 * endpointsOfAccount)
    const [id] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => good.received.map(({ subjectId }) => subjectId)).toEqual([id])
    expect(await countAttempts(clientele, slow)).toBe(0)
  })

  test('get one request at a time, however often they are replayed or changed', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const [good, bad] = [await receive(), await receive(hang)]
    const { accountId, webhook } = await world.addWebhook(clientele, { url: bad.url, types })
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => bad.received.length).toBe(1)
    const other = await world.addWebhook(clientele, { url: good.url, types })
    for (let count = 1; count <= 5; count++) {
      const after = feedCursor(accountId, 0)
      await clientele.webhooks.replay(accountId, webhook.id, { after })
      world.now += 1
      await clientele.webhooks.update(accountId, webhook.id, { types: ['user.*'] })
      // When it has been sent, the deliverer has looked at both.
      await world.createUsers(clientele, other.accountId, 1)
      await eventually(() => good.received.length).toBe(count)
    }
    expect(bad.received).toHaveLength(1)
  })

  test('have twenty turns of an account at most, also where endpoints are deleted and created', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const held: ServerResponse[] = []
    const bad = await receive((response) => void held.push(response))
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const replace = async (expected: number) => {
      const { webhook } = await world.addWebhook(clientele, { url: bad.url, types }, accountId)
      await world.createUsers(clientele, accountId, 1)
      await eventually(() => bad.received.length).toBe(expected)
      await clientele.webhooks.delete(accountId, webhook.id)
    }
    for (let count = 1; count <= 20; count++) await replace(count)
    const good = await receive()
    const other = await world.addWebhook(clientele, { url: good.url, types })
    await world.addWebhook(clientele, { url: bad.url, types }, accountId)
    await world.createUsers(clientele, accountId, 1)
    await world.createUsers(clientele, other.accountId, 1)
    await eventually(() => good.received.length).toBe(1)
    // Of both that are due, the deliverer takes that of the other account first.
    await world.pass(clientele)
    expect(bad.received).toHaveLength(20)
    for (const response of held) accept(response)
    await eventually(() => bad.received.length).toBe(21)
  })

  test('delay nobody else when they are of thirty accounts', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const [good, bad] = [await receive(), await receive(hang)]
    const other = await world.addWebhook(clientele, { url: good.url, types })
    const slow = await addSlowAccounts(world, clientele, bad.url, 30)
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    const attempts = () => clientele.webhooks.listAttempts(other.accountId, other.webhook.id)
    await eventually(() => bad.received.length).toBeGreaterThan(60)
    for (let count = 1; count <= 3; count++) {
      await world.createUsers(clientele, other.accountId, 1)
      await eventually(attempts).toHaveLength(count)
    }
    // Their requests time out after 15 seconds.
    expect(bad.received.length).toBeLessThan(300)
  })

  test('and have failed before leave places, of many accounts too, and are not looked for all the time', async () => {
    const own = await open()
    onTestFinished(() => own.close())
    const world = new WebhookWorld(() => own.url)
    world.now = Date.now()
    const { repository, counts } = openCounted(own.url)
    const { clientele } = await world.start({ webhooks: { allowPrivateAddresses: true } })
    const [good, bad] = [await receive(), await receive(hang)]
    const slow = [
      ...(await addSlowAccounts(world, clientele, bad.url, 140, 1)),
      ...(await addSlowAccounts(world, clientele, bad.url)),
    ]
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    await runSql(own.url, `update clientele_webhooks set failing_since = ${world.now - 1}`)
    const other = await world.addWebhook(clientele, { url: good.url, types })
    await world.deliver({ repository })
    await eventually(() => bad.received.length).toBeGreaterThan(0)
    for (let count = 1; count <= 3; count++) {
      await world.createUsers(clientele, other.accountId, 1)
      await eventually(() => good.received.length).toBe(count)
    }
    const before = counts.looks
    await sleep(1_000)
    expect(counts.looks - before).toBeLessThan(10)
    const leased =
      'select cast(count(*) as text) as count from clientele_webhooks where lease_holder is not null and failing_since is not null'
    // Of 160 that are due
    expect(await runSql(own.url, leased)).toEqual([{ count: '128' }])
  })

  test('in time leave places, of many accounts too, and are not looked for all the time', async () => {
    const own = await open()
    onTestFinished(() => own.close())
    const world = new WebhookWorld(() => own.url)
    world.now = Date.now()
    const { repository, counts } = openCounted(own.url)
    const clientele = await world.deliver({ repository })
    const [good, bad] = [
      await receive(),
      await receive((response) => {
        setTimeout(() => accept(response), 1_500)
      }),
    ]
    const slow = await addSlowAccounts(world, clientele, bad.url, 130, 1)
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    await eventually(() => bad.received.length).toBe(130)
    for (const account of slow) await world.createUsers(clientele, account.accountId, 2)
    await eventually(() => bad.received.length).toBe(3 * 130)
    expect(new Set(bad.received.map(({ id }) => id)).size).toBe(3 * 130)
    // Where others wait, a turn is one request.
    expect(counts.shortReads).toBeGreaterThan(0)
    bad.answer = hang
    await sleep(2_000)
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    const other = await world.addWebhook(clientele, { url: good.url, types })
    await eventually(() => bad.received.length).toBe(3 * 130 + 96)
    for (let count = 1; count <= 3; count++) {
      await world.createUsers(clientele, other.accountId, 1)
      await eventually(() => good.received.length).toBe(count)
    }
    await sleep(1_000)
    const before = counts.looks
    await sleep(1_000)
    expect(counts.looks - before).toBeLessThan(10)
    expect(bad.received).toHaveLength(3 * 130 + 96)
  })

  test('and have failed before delay no second attempt of another account', async () => {
    const clientele = await world.deliver()
    const [other, bad] = [await receive(answerWith(500)), await receive(answerWith(500))]
    const slow = await addSlowAccounts(world, clientele, bad.url)
    const { accountId, webhook } = await world.addWebhook(clientele, { url: other.url, types })
    for (const account of slow) await world.createUsers(clientele, account.accountId, 1)
    await eventually(() => bad.received.length).toBe(2 * endpointsOfAccount)
    await eventually(() => countAttempts(clientele, slow)).toBe(1)
    await world.pass(clientele)
    bad.answer = hang
    world.now += retryMilliseconds
    await eventually(() => bad.received.length).toBe(4 * endpointsOfAccount)
    await world.createUsers(clientele, accountId, 1)
    const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
    await eventually(listed).toHaveLength(1)
    world.now += retryMilliseconds
    await eventually(() => other.received.length).toBe(2)
    expect(await countAttempts(clientele, slow)).toBe(1)
  })
})
