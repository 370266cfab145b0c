import { createClient, dataOf } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { cliScript, startProcess } from '../support/start-process.ts'
import { eventually, receive, verify } from '../webhooks/webhook-world.ts'

describe.each(databases)('the server on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('delivers webhooks, and says that it did', async () => {
    const running = startProcess(cliScript, [], {
      PORT: '0',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret of the tests, which is long enough',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    })
    const [, baseUrl = ''] = await running.waitFor(/^Listening on (http:.+)$/m)
    const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
    const client = createClient({ baseUrl, apiKey })
    const receiver = await receive()
    const webhook = dataOf(
      await client.createWebhook({ url: receiver.url, types: ['user.created'] }),
    )
    const person = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }
    const user = dataOf(await client.createUser(person))

    await eventually(() => receiver.received.length).toBe(1)
    const [message] = receiver.received
    if (message === undefined) throw new Error('Nothing was received.')
    expect(verify(webhook.secret, message)).toMatchObject({ subject: { id: user.id } })
    await eventually(
      async () => dataOf(await client.listWebhookAttempts(webhook.id)).data,
    ).toMatchObject([{ type: 'user.created', attempt: 1, status: 204 }])
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(running.errors()).not.toMatch(/"level":"error"/)
  })
})
