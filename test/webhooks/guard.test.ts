import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { accept, answerWith, eventually, receive, WebhookWorld } from './webhook-world.ts'

const closed = '169.254.169.254'
const types = ['user.created']
/** An endpoint whose name resolves to nothing. No event is sent to it. */
const nameless = (index: number) => ({ url: `https://slow${index}.org/`, isActive: false })

describe.each(anyDatabase)('forbidden addresses of webhooks, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new WebhookWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00::1'],
    ['fe80::1'],
    [closed],
    ['8.8.8.8', '127.0.0.1'],
  ])('names that resolve to %s are refused when they are registered', async (...addresses) => {
    const { clientele } = await world.start()
    await resolveNames(() => addresses)
    const added = world.addWebhook(clientele, { url: 'https://hooks.example.com/' })
    expect(await codeOf(added)).toBe('validation_failed')
    await expect(added).rejects.toThrow(/\/url must not lead to a /)
  })

  test.each([
    ['https://8.8.8.8/', true],
    ['https://8.8.8.8:443/', true],
    ['https://8.8.8.8:1024/', true],
    ['https://8.8.8.8:8443/', true],
    ['https://8.8.8.8:25/', false],
    ['https://8.8.8.8:80/', false],
    ['https://8.8.8.8:1023/', false],
  ])('the port of %s is allowed: %s', async (url, isAllowed) => {
    const { clientele } = await world.start()
    const added = world.addWebhook(clientele, { url, isActive: false })
    if (isAllowed) return void expect((await added).webhook.isActive).toBe(false)
    await expect(added).rejects.toThrow(/\/url must have the port 443, or a port from 1024 on/)
  })

  test('a name that has no address yet may be registered: each attempt asks again', async () => {
    const { clientele } = await world.start()
    await resolveNames(() => [])
    const { webhook } = await world.addWebhook(clientele, { url: 'https://hooks.example.com/' })
    expect(webhook.url).toBe('https://hooks.example.com/')
  })

  test('a name that resolves elsewhere later is refused at the attempt', async () => {
    const receiver = await receive()
    const clientele = await world.deliver()
    const url = receiver.url.replace('127.0.0.1', 'hooks.example.com')
    let addresses = ['127.0.0.1']
    await resolveNames(() => addresses)
    const input = { url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    addresses = ['127.0.0.1', closed]
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: null },
    ])
    expect(receiver.received).toEqual([])
    addresses = ['127.0.0.1']
    world.now += 10_000
    await eventually(() => receiver.received.length).toBe(1)
  })

  test('the connection uses the checked address', async () => {
    const receiver = await receive()
    const clientele = await world.deliver()
    // Who asks twice, to check and then to connect, is led elsewhere the second time.
    const host = 'checked.example.com'
    let count = 0
    await resolveNames((name) => {
      if (name === host) count++
      return count <= 2 ? ['127.0.0.1'] : [closed]
    })
    const url = receiver.url.replace('127.0.0.1', host)
    const { accountId } = await world.addWebhook(clientele, { url, types: ['user.created'] })
    expect(count).toBe(1)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    expect(count).toBe(2)
  })

  test('names without an answer delay no other account', async () => {
    const { clientele } = await world.start()
    await resolveNames((name) => (name.startsWith('slow') ? undefined : ['127.0.0.1']))
    const { id } = await clientele.accounts.create({ name: 'Slow' })
    let answered = 0
    const slow = Array.from({ length: 80 }, async (_, index) => {
      await codeOf(clientele.webhooks.create(id, nameless(index)))
      answered++
    })
    // A name that is not looked up in time is taken: each attempt asks again.
    const added = world.addWebhook(clientele, { url: 'https://hooks.example.com/' })
    expect(await codeOf(added)).toBe('validation_failed')
    expect(answered).toBe(0)
    await Promise.all(slow)
  })

  test('a name without an answer delays no other account, and a delivery without a free lookup is no attempt', async () => {
    const receiver = await receive()
    const clientele = await world.deliver()
    const url = receiver.url.replace('127.0.0.1', 'hooks.example.com')
    const answerLate = await resolveNames((name) =>
      name.startsWith('slow') ? undefined : ['127.0.0.1'],
    )
    const { accountId, webhook } = await world.addWebhook(clientele, { url, types })
    // Of these one is looked up, and the others leave no room.
    const slow = Array.from({ length: 101 }, (_, index) =>
      codeOf(clientele.webhooks.create(accountId, nameless(index))),
    )
    await world.createUsers(clientele, accountId, 1)
    const { accountId: other } = await world.addWebhook(clientele, { url, types })
    const [otherId] = await world.createUsers(clientele, other, 1)
    await eventually(() => receiver.received.map(({ subjectId }) => subjectId)).toEqual([otherId])
    await Promise.all(slow)
    expect(await clientele.webhooks.listAttempts(accountId, webhook.id)).toEqual([])
    answerLate()
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: 204 },
    ])
  })

  test('a process that allows no private address sends to none that was registered elsewhere', async () => {
    const receiver = await receive()
    const { clientele: lax } = await world.start({ webhooks: { allowPrivateAddresses: true } })
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(lax, input)
    const strict = await world.deliver({ webhooks: { allowPrivateAddresses: false } })
    await world.createUsers(strict, accountId, 1)
    await eventually(() => strict.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: null },
    ])
    expect(receiver.received).toEqual([])
  })

  test('a response with an invalid status counts as no response', async () => {
    const receiver = await receive(answerWith(600))
    const clientele = await world.deliver()
    const { accountId, webhook } = await world.addWebhook(clientele, { url: receiver.url, types })
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: null },
    ])
  })

  test.each([
    [5, 204],
    [6, null],
    [10_000, null],
  ])('a response behind %i informational ones has the status %s', async (count, status) => {
    const receiver = await receive((response) => {
      response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(count))
      accept(response)
    })
    const clientele = await world.deliver()
    const { accountId, webhook } = await world.addWebhook(clientele, { url: receiver.url, types })
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status, reason: status === null ? 'no_answer' : null },
    ])
  })

  test('a redirect is not followed: it is a failure', async () => {
    const target = await receive()
    const receiver = await receive(answerWith(307, { location: target.url }))
    const clientele = await world.deliver()
    const input = { url: receiver.url, types: ['user.created'] }
    const { accountId, webhook } = await world.addWebhook(clientele, input)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => clientele.webhooks.listAttempts(accountId, webhook.id)).toMatchObject([
      { attempt: 1, status: 307 },
    ])
    expect(target.received).toEqual([])
  })
})
