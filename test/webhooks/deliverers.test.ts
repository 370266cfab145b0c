import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type RunningProcess, startProcess } from '../support/start-process.ts'
import { accept, answerWith, eventually, hang, receive, WebhookWorld } from './webhook-world.ts'

/** Longer than a lease that is not renewed */
const leaseMs = 31_000

describe.each(databases)('deliverers on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A process that delivers, by a clock that is so far ahead. */
  async function startDeliverer(offset = 0): Promise<RunningProcess> {
    const script = join(import.meta.dirname, 'webhook-worker.ts')
    const started = startProcess(script, [database.url, String(offset)], {})
    onTestFinished(() => {
      started.child.kill('SIGKILL')
    })
    await started.waitFor(/ready/)
    return started
  }

  /** An account with an endpoint, and a process that does not deliver. */
  async function openEndpoint(url: string) {
    world.now = Date.now()
    const { clientele } = await world.start({ webhooks: { allowPrivateAddresses: true } })
    const added = await world.addWebhook(clientele, { url, types: ['user.created'] })
    return { clientele, ...added }
  }

  test('that are killed at any moment lose nothing, and send the same ids again', async () => {
    const receiver = await receive()
    const { clientele, accountId } = await openEndpoint(receiver.url)
    const ids = await world.createUsers(clientele, accountId, 120)
    let offset = 0
    for (const killedAt of [1, 10, 25, 26, 60]) {
      const deliverer = await startDeliverer(offset)
      await eventually(() => receiver.received.length).toBeGreaterThanOrEqual(killedAt)
      deliverer.child.kill('SIGKILL')
      await deliverer.ended
      // The next deliverer waits until the lease of the killed one has expired.
      offset += leaseMs
    }
    await startDeliverer(offset)
    const subjects = () => new Set(receiver.received.map(({ subjectId }) => subjectId)).size
    await eventually(subjects).toBe(ids.length)
    const idsBySubject = Map.groupBy(receiver.received, ({ subjectId }) => subjectId)
    for (const messages of idsBySubject.values())
      expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect([...idsBySubject.keys()].toSorted()).toEqual(ids.toSorted())
  })

  test('that are killed while events wait for their next attempt lose none', async () => {
    const receiver = await receive(answerWith(500))
    const { clientele, accountId, webhook } = await openEndpoint(receiver.url)
    const ids = await world.createUsers(clientele, accountId, 8)
    const deliverer = await startDeliverer()
    const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
    await eventually(async () => (await listed()).length).toBeGreaterThanOrEqual(4)
    deliverer.child.kill('SIGKILL')
    await deliverer.ended
    receiver.received.length = 0
    receiver.answer = accept
    await startDeliverer(leaseMs)
    await eventually(() => new Set(receiver.received.map(({ subjectId }) => subjectId)).size).toBe(
      ids.length,
    )
  })

  test('send each event once if there are several, at most two at a time', async () => {
    const receiver = await receive((response) => {
      setTimeout(() => accept(response), 5)
    })
    const { clientele, accountId } = await openEndpoint(receiver.url)
    await Promise.all([startDeliverer(), startDeliverer()])
    const ids = await world.createUsers(clientele, accountId, 60)
    await eventually(() => receiver.received.length).toBeGreaterThanOrEqual(60)
    const subjects = receiver.received.map(({ subjectId }) => subjectId)
    expect(subjects.toSorted()).toEqual(ids.toSorted())
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(2)
  })

  test('that stop release their endpoints in time', async () => {
    const receiver = await receive(hang)
    const { clientele, accountId, webhook } = await openEndpoint(receiver.url)
    const [id] = await world.createUsers(clientele, accountId, 1)
    const deliverer = await startDeliverer()
    await eventually(() => receiver.received.length).toBe(1)
    deliverer.child.kill('SIGTERM')
    expect(await deliverer.ended).toBe(0)
    // What was given up is no failure, and the next one need not wait.
    expect(await clientele.webhooks.listAttempts(accountId, webhook.id)).toEqual([])
    receiver.answer = accept
    await startDeliverer()
    await eventually(() => receiver.received.map(({ subjectId }) => subjectId)).toEqual([id, id])
    await sleep(100)
  })

  test('that were sending when an endpoint was switched off and on do not move its position', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const held: ServerResponse[] = []
    const receiver = await receive((response) => void held.push(response))
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    const [first] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => held.length).toBe(1)
    await clientele.webhooks.update(accountId, webhook.id, { isActive: false })
    await world.createUsers(clientele, accountId, 1)
    await clientele.webhooks.update(accountId, webhook.id, { isActive: true })
    receiver.answer = accept
    const [second] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(2)
    // The request under way ends only now, and its result is ignored.
    for (const response of held) accept(response)
    await world.pass(clientele)
    const [third] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.map(({ subjectId }) => subjectId)).toContain(third)
    expect(receiver.received.map(({ subjectId }) => subjectId)).toEqual([first, second, third])
  })

  test("that get 410 from an endpoint's previous address leave it on", async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const held: ServerResponse[] = []
    const [before, after] = [await receive((response) => void held.push(response)), await receive()]
    const input = { url: before.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    const [id] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => held.length).toBe(1)
    await clientele.webhooks.update(accountId, webhook.id, { url: after.url })
    for (const response of held) answerWith(410)(response)
    // The turn with the previous address has lost the endpoint: its attempt is not noted.
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: 204 },
    ])
    await eventually(() => after.received.map(({ subjectId }) => subjectId)).toEqual([id])
    expect(await clientele.webhooks.find(accountId, webhook.id)).toMatchObject({ isActive: true })
  })
})
