import dns from 'node:dns'
import type { ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { feedCursor } from '../support/feed-cursor.ts'
import { runSql } from '../support/run-sql.ts'
import { accept, eventually, receive, WebhookWorld } from './webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

const changes = 6
/** The first request is answered, and then two are under way. */
const begun = 3

describe.each(databases)('events that a deliverer has read, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** An endpoint with two requests under way and the other events in memory, and another process */
  async function beginTurn() {
    const clientele = await world.deliver()
    const { clientele: other } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    for (let count = 0; count < changes; count++)
      await clientele.users.patch(accountId, user.id, { name: `Ada ${count}` })
    const held: ServerResponse[] = []
    const receiver = await receive((response) => {
      if (receiver.received.length === 1) accept(response)
      else held.push(response)
    })
    const input = { url: receiver.url, types: ['user.updated'] }
    const { webhook } = await world.addWebhook(clientele, input, accountId)
    await clientele.webhooks.replay(accountId, webhook.id, { after: feedCursor(accountId, 0) })
    await eventually(() => held.length).toBe(begun - 1)
    const goOn = () => {
      receiver.answer = accept
      for (const response of held) accept(response)
    }
    return { clientele, other, accountId, user, receiver, goOn }
  }

  test('are sent without the person after an erasure has answered', async () => {
    const { other, accountId, user, receiver, goOn } = await beginTurn()
    await other.users.erase(accountId, user.id)
    goOn()
    await eventually(() => receiver.received.length).toBe(changes)
    const bodies = receiver.received.map(({ body }) => body)
    expect(bodies.map((body) => body.includes(user.email))).toEqual(
      bodies.map((_, index) => index < begun),
    )
  })

  test('are not sent while the account is disabled, and once each when it is enabled', async () => {
    const { clientele, other, accountId, receiver, goOn } = await beginTurn()
    await other.accounts.disable(accountId)
    goOn()
    await world.pass(clientele)
    expect(receiver.received).toHaveLength(begun)
    await clientele.accounts.enable(accountId)
    await eventually(() => receiver.received.length).toBe(changes)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(changes)
  })

  test.each<{
    what: string
    remove: (clientele: Clientele, accountId: string) => Promise<unknown>
  }>([
    { what: 'the account', remove: (clientele, accountId) => clientele.accounts.delete(accountId) },
    {
      what: 'the events',
      remove: (_, accountId) =>
        runSql(database.url, `delete from clientele_events where account_id = '${accountId}'`),
    },
  ])('are not sent after a deletion of $what', async ({ remove }) => {
    const { clientele, other, accountId, receiver, goOn } = await beginTurn()
    await remove(other, accountId)
    goOn()
    await world.pass(clientele)
    expect(receiver.received).toHaveLength(begun)
  })

  /** An event waits while the name of its endpoint's server is looked up. */
  async function beginLookUp() {
    const { lookup } = dns
    const asked: (() => void)[] = []
    const replaceLookUp = (next: typeof lookup) => {
      dns.lookup = next
      syncBuiltinESMExports()
    }
    onTestFinished(() => replaceLookUp(lookup))
    type Found = (error: null, addresses: dns.LookupAddress[]) => void
    let isAnswering = false
    const wait = (name: string, options: object, found: Found) => {
      const answer = () => found(null, [{ address: '127.0.0.1', family: 4 }])
      if (name !== 'slow.example.com')
        lookup(name, options, found as never) // as it is called
      else if (isAnswering) answer()
      else asked.push(answer)
    }
    replaceLookUp(wait as unknown as typeof lookup) // the form in which names are asked for
    const clientele = await world.deliver()
    const receiver = await receive(accept)
    const { port } = new URL(receiver.url)
    const input = { url: `http://slow.example.com:${port}`, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    const { user } = await world.addUser(clientele, { accountId })
    await eventually(() => asked.length).toBe(1)
    const goOn = () => {
      isAnswering = true
      for (const answer of asked) answer()
    }
    return { clientele, accountId, webhook, user, receiver, goOn }
  }

  test('are sent without the person also where it is erased while a name is looked up', async () => {
    const { clientele, accountId, user, receiver, goOn } = await beginLookUp()
    await clientele.users.erase(accountId, user.id)
    goOn()
    await eventually(() => receiver.received.length).toBe(1)
    expect(receiver.received.map(({ body }) => body.includes(user.email))).toEqual([false])
  })

  test.each<[string, (clientele: Clientele, accountId: string, id: string) => Promise<unknown>]>([
    ['account is disabled', ({ accounts }, accountId) => accounts.disable(accountId)],
    ['endpoint is deleted', ({ webhooks }, accountId, id) => webhooks.delete(accountId, id)],
    [
      'endpoint is switched off',
      ({ webhooks }, accountId, id) => webhooks.update(accountId, id, { isActive: false }),
    ],
    [
      'endpoint is moved',
      ({ webhooks }, accountId, id) =>
        webhooks.update(accountId, id, { url: 'http://127.0.0.1:9999/' }),
    ],
  ])('are not sent where the %s while a name is looked up', async (_, change) => {
    const { clientele, accountId, webhook, receiver, goOn } = await beginLookUp()
    await change(clientele, accountId, webhook.id)
    goOn()
    await world.pass(clientele)
    expect(receiver.received).toEqual([])
  })
})
