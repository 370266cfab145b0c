import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { answerWith, eventually, receive, WebhookWorld } from './webhook-world.ts'

/** Makes names resolve to what it answers, until the test is over; counts how often it was asked for one of them. */
function resolveNames(answer: (count: number) => string[], counted = ''): { count: number } {
  const asked = { count: 0 }
  const real = dns.lookup
  dns.lookup = ((host: string, _options: object, callback: (...all: unknown[]) => void) => {
    if (host === counted) asked.count++
    const addresses = answer(asked.count)
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as never // only what is called here
  syncBuiltinESMExports()
  onTestFinished(() => {
    dns.lookup = real
    syncBuiltinESMExports()
  })
  return asked
}

const closed = '169.254.169.254'

describe.each(databases)('where webhooks do not go, on $name', ({ open }) => {
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
    ['fe80::1%eth0'],
    [closed],
    ['8.8.8.8', '127.0.0.1'],
  ])('names that resolve to %s are refused when they are registered', async (...addresses) => {
    const { clientele } = await world.start()
    resolveNames(() => addresses)
    const added = world.addWebhook(clientele, { url: 'https://hooks.example.com/' })
    expect(await codeOf(added)).toBe('validation_failed')
    await expect(added).rejects.toThrow(/\/url must not lead to a /)
  })

  test('a name that has no address yet may be registered: each attempt asks again', async () => {
    const { clientele } = await world.start()
    resolveNames(() => [])
    const { webhook } = await world.addWebhook(clientele, { url: 'https://hooks.example.com/' })
    expect(webhook.url).toBe('https://hooks.example.com/')
  })

  test('a name that resolves elsewhere later is refused at the attempt', async () => {
    const receiver = await receive()
    const clientele = await world.deliver()
    const url = receiver.url.replace('127.0.0.1', 'hooks.example.com')
    let addresses = ['127.0.0.1']
    resolveNames(() => addresses)
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

  test('the address that was checked is the one that is connected to', async () => {
    const receiver = await receive()
    const clientele = await world.deliver()
    // Who asks twice, to check and then to connect, is led elsewhere the second time.
    const host = 'checked.example.com'
    const asked = resolveNames((count) => (count <= 2 ? ['127.0.0.1'] : [closed]), host)
    const url = receiver.url.replace('127.0.0.1', host)
    const { accountId } = await world.addWebhook(clientele, { url, types: ['user.created'] })
    expect(asked.count).toBe(1)
    await world.createUsers(clientele, accountId, 1)
    await eventually(() => receiver.received.length).toBe(1)
    expect(asked.count).toBe(2)
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
