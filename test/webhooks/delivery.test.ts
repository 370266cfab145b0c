import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { feedCursor } from '../support/feed-cursor.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { answerWith, eventually, hang, receive, verify, WebhookWorld } from './webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe.each(databases)('webhooks are delivered on $name', ({ name, open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Starts a process that delivers, and that need not be waited for where it looks once a second for what is due. */
  async function deliverAtOnce() {
    const timers = holdTimers()
    const clientele = await world.deliver()
    const wait = (milliseconds: number): void => {
      world.now += milliseconds
      timers.pass(1_000)
    }
    return { clientele, wait }
  }

  test('signed, with the event as the feed has it, in the order of the feed', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const receiver = await receive()
    const input = { url: receiver.url, types: ['user.*'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    const ids = await world.createUsers(clientele, accountId, 3)
    await clientele.users.patch(accountId, ids[0] ?? '', { name: 'Ada King' })
    await eventually(() => receiver.received.length).toBe(4)
    const types = receiver.received.map(({ type }) => type)
    expect(types.toSorted()).toEqual([...Array(3).fill('user.created'), 'user.updated'])
    for (const message of receiver.received) {
      expect(verify(webhook.secret, message)).toMatchObject({ id: message.headers['webhook-id'] })
      expect(message.headers['content-type']).toBe('application/json')
    }
    const [first] = receiver.ofType('user.created')
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      actor: { type: 'operator', id: null },
      subject: { type: 'user', id: ids[0] },
      data: { user: { id: ids[0], name: 'Ada', is_active: true } },
    })
  })

  test('of the event types that the endpoint wants, and of no others', async () => {
    const clientele = await world.deliver()
    const [all, one, none] = [await receive(), await receive(), await receive()]
    const { accountId } = await world.addWebhook(clientele, { url: all.url })
    await world.addWebhook(clientele, { url: one.url, types: ['user.deleted'] }, accountId)
    await world.addWebhook(clientele, { url: none.url, types: ['issuer.*'] }, accountId)
    const [id = ''] = await world.createUsers(clientele, accountId, 1)
    await clientele.users.delete(accountId, id)
    await eventually(() => one.received.length).toBe(1)
    await eventually(() => all.ofType('user.deleted').length).toBe(1)
    expect(all.ofType('user.created')).toHaveLength(1)
    // An account's endpoints hear of each other.
    expect(all.ofType('webhook.created')).toHaveLength(3)
    expect(none.received).toEqual([])
  })

  test("of the endpoint's own account only", async () => {
    const clientele = await world.deliver()
    const [mine, theirs] = [await receive(), await receive()]
    const first = await world.addWebhook(clientele, { url: mine.url, types: ['user.*'] })
    const second = await world.addWebhook(clientele, { url: theirs.url, types: ['user.*'] })
    const [userId] = await world.createUsers(clientele, first.accountId, 1)
    await eventually(() => mine.received.map(({ subjectId }) => subjectId)).toEqual([userId])
    const [other] = await world.createUsers(clientele, second.accountId, 1)
    await eventually(() => theirs.received.map(({ subjectId }) => subjectId)).toEqual([other])
    expect(mine.received).toHaveLength(1)
  })

  test.runIf(runsEveryTest || name === 'sqlite')(
    'again on the retry schedule, which blocks no later event',
    async () => {
      const { clientele, wait } = await deliverAtOnce()
      const receiver = await receive(answerWith(500))
      const input = { url: receiver.url, types: ['user.created'] }
      const { accountId, webhook } = await world.addWebhook(clientele, input)
      const [failing] = await world.createUsers(clientele, accountId, 1)
      const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
      await eventually(listed).toHaveLength(1)
      receiver.answer = (response) => answerWith(204)(response)
      const [next] = await world.createUsers(clientele, accountId, 1)
      await eventually(listed).toHaveLength(2)
      receiver.answer = answerWith(503)
      const delays = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour]
      for (const [index, delay] of [...delays, 14 * hour, 14 * hour, 14 * hour].entries()) {
        // A fifth less or more: before that nothing comes, and after it the attempt.
        world.now += Math.floor(0.8 * delay) - 1
        await world.pass(clientele)
        expect(await listed()).toHaveLength(index + 2)
        wait(Math.ceil(0.4 * delay) + 1)
        await eventually(listed).toHaveLength(index + 3)
      }
      world.now += day
      await world.pass(clientele)
      const attempts = await listed()
      const ofFailing = attempts.filter(({ eventId }) => eventId === receiver.received[0]?.id)
      expect(ofFailing.map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      expect(ofFailing.map(({ status }) => status)).toEqual([...Array(9).fill(503), 500])
      const sent = receiver.received.map(({ subjectId }) => subjectId)
      expect(sent).toEqual([failing, next, ...Array(9).fill(failing)])
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    },
  )

  test('not before Retry-After, of a day at most', async () => {
    const { clientele, wait } = await deliverAtOnce()
    for (const [write, delay] of [
      [() => '600', 10 * minute],
      [() => new Date(world.now + hour).toUTCString(), hour - 1000],
      [() => '9999999', day],
    ] as const) {
      const receiver = await receive(answerWith(429, { 'retry-after': write() }))
      const input = { url: receiver.url, types: ['user.created'] }
      const { accountId, webhook } = await world.addWebhook(clientele, input)
      await world.createUsers(clientele, accountId, 1)
      const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
      await eventually(listed).toMatchObject([{ attempt: 1, status: 429 }])
      receiver.answer = answerWith(204)
      world.now += delay - 2_000
      await world.pass(clientele)
      expect(receiver.received).toHaveLength(1)
      wait(4_000)
      await eventually(listed).toHaveLength(2)
    }
  })

  test('on the retry schedule if Retry-After is not a time', async () => {
    world.now = Date.now()
    const { clientele, wait } = await deliverAtOnce()
    for (const text of ['soon 2099', '2099-01-01T00:00:00Z', '1e9']) {
      const receiver = await receive(answerWith(503, { 'retry-after': text }))
      const input = { url: receiver.url, types: ['user.created'] }
      const { accountId, webhook } = await world.addWebhook(clientele, input)
      await world.createUsers(clientele, accountId, 1)
      const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
      await eventually(listed).toHaveLength(1)
      wait(6_001)
      await eventually(listed).toHaveLength(2)
    }
  })

  test('no more after 410, nor after five days without a success', async () => {
    const { clientele, wait } = await deliverAtOnce()
    const watcher = await receive()
    const [gone, failing] = [await receive(answerWith(410)), await receive(answerWith(302))]
    const input = { url: watcher.url, types: ['webhook.disabled'] }
    const { accountId } = await world.addWebhook(clientele, input)
    const add = async (url: string) =>
      (await world.addWebhook(clientele, { url, types: ['user.created'] }, accountId)).webhook
    const [first, second] = [await add(gone.url), await add(failing.url)]
    await world.createUsers(clientele, accountId, 1)
    const find = async (id: string) => clientele.webhooks.find(accountId, id)
    await eventually(() => find(first.id)).toMatchObject({
      isActive: false,
      disabledReason: 'gone',
    })
    await eventually(() => failing.received.length).toBe(1)
    expect(await find(second.id)).toMatchObject({ isActive: true, disabledReason: null })
    // What is under way then would be sent again: its lease is over.
    await eventually(() => watcher.received.length).toBe(1)
    await world.pass(clientele)
    wait(5 * day)
    await eventually(() => find(second.id)).toMatchObject({
      isActive: false,
      disabledReason: 'failing',
    })
    await eventually(() => watcher.received.map(({ subjectId }) => subjectId)).toEqual([
      first.id,
      second.id,
    ])
    expect(JSON.parse(watcher.received[0]?.body ?? '')).toMatchObject({
      actor: { type: 'system', id: null },
      data: { reason: 'gone' },
    })
    // What happens while it is off is not sent later; what waited is.
    const before = failing.received[0]?.subjectId
    await world.createUsers(clientele, accountId, 1)
    failing.answer = answerWith(204)
    failing.received.length = 0
    const on = await clientele.webhooks.update(accountId, second.id, { isActive: true })
    expect(on).toMatchObject({ isActive: true, disabledReason: null })
    await world.pass(clientele)
    world.now += day
    const [after] = await world.createUsers(clientele, accountId, 1)
    await eventually(() => failing.received.map(({ subjectId }) => subjectId).toSorted()).toEqual(
      [before, after].toSorted(),
    )
  })

  test('with both secrets for a day after a rotation', async () => {
    world.now = Date.now()
    const clientele = await world.deliver()
    const receiver = await receive()
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    const { secret } = await clientele.webhooks.rotateSecret(accountId, webhook.id)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(webhook.secret)
    // What was under way at that moment may have the old one alone.
    await world.pass(clientele)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    const [both] = receiver.received
    if (both === undefined) throw new Error('Nothing was received.')
    for (const each of [secret, webhook.secret])
      expect(verify(each, both)).toMatchObject({ type: 'user.created' })
    world.now += day
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(2)
    expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  test('as a test, once, also to an endpoint that is off', async () => {
    const clientele = await world.deliver()
    const receiver = await receive(answerWith(500))
    const input = { url: receiver.url, types: ['user.created'], isActive: false }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    await world.createUsers(clientele, accountId, 1)
    await clientele.webhooks.test(accountId, webhook.id)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { type: 'webhook.test', attempt: 1, status: 500 },
    ])
    world.now += day
    await world.pass(clientele)
    expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test'])
    expect(receiver.received[0]?.subjectId).toBe(webhook.id)
  })

  test('beside one that hangs, which blocks no other endpoint', async () => {
    const clientele = await world.deliver()
    const [good, bad] = [await receive(), await receive(hang)]
    const input = { url: good.url, types: ['user.created'] }
    const { accountId } = await world.addWebhook(clientele, input)
    const hanging = { url: bad.url, types: ['user.created'] }
    await world.addWebhook(clientele, hanging, accountId)
    const ids = await world.createUsers(clientele, accountId, 60)
    // The other has not answered once by then.
    await eventually(() => good.received.length).toBe(60)
    expect(good.received.map(({ subjectId }) => subjectId).toSorted()).toEqual(ids.toSorted())
    expect(bad.received).toHaveLength(1)
    expect(good.mostAtOnce).toBeLessThanOrEqual(2)
  })

  test('nothing of an account that is disabled, and all of it once it is enabled again', async () => {
    const clientele = await world.deliver()
    const receiver = await receive()
    const types = ['user.created', 'account.*']
    const { accountId } = await world.addWebhook(clientele, { url: receiver.url, types })
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    await clientele.accounts.disable(accountId)
    await world.createUsers(clientele, accountId, 1)
    await world.pass(clientele)
    expect(receiver.received).toHaveLength(1)
    await clientele.accounts.enable(accountId)
    await eventually(() => receiver.received.map(({ type }) => type).toSorted()).toEqual([
      'account.disabled',
      'account.enabled',
      'user.created',
      'user.created',
    ])
  })

  test('again from a cursor, with the ids that they had', async () => {
    const clientele = await world.deliver()
    const receiver = await receive()
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    await world.createUsers(clientele, accountId, 5)
    // What was received and is not noted yet would come again in any case.
    const listed = () => clientele.webhooks.listAttempts(accountId, webhook.id)
    await eventually(listed).toHaveLength(5)
    const ids = receiver.received.map(({ id }) => id)
    receiver.received.length = 0
    // Up to there stand the endpoint's own event and two users.
    await clientele.webhooks.replay(accountId, webhook.id, { after: feedCursor(accountId, 3) })
    const again = ids.toSorted().slice(2)
    await eventually(() => receiver.received.map(({ id }) => id).toSorted()).toEqual(
      again.toSorted(),
    )
    const { data } = await clientele.events.read(accountId, { types: ['webhook.replayed'] })
    expect(data).toMatchObject([
      { subject: { id: webhook.id }, data: { after: feedCursor(accountId, 3) } },
    ])
  })
})
