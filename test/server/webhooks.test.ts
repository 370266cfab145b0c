import { type Client, createClient, dataOf } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'
import { eventually, receive, verify } from '../webhooks/webhook-world.ts'

describe.each(databases)('the server on $name', ({ open }) => {
  let database: OpenDatabase
  let running: RunningProcess
  let client: Client
  beforeAll(async () => {
    database = await open()
    running = startProcess(cliScript, [], {
      PORT: '0',
      METRICS_PORT: '0',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret of the tests that is long enough',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    })
    const [, baseUrl = ''] = await running.waitFor(/^Listening on (http:.+)$/m)
    const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
    client = createClient({ baseUrl, apiKey })
  })
  afterAll(async () => {
    running.child.kill('SIGTERM')
    await running.ended
    await database.close()
  })

  const addWebhook = async (url: string) =>
    dataOf(await client.createWebhook({ url, types: ['user.created'] }))
  const addUser = async (email: string) =>
    dataOf(await client.createUser({ name: 'Ada', email, password: 'analytical engine' }))
  const listAttempts = async (id: string) => dataOf(await client.listWebhookAttempts(id)).data

  test('delivers webhooks, and says that it did', async () => {
    const receiver = await receive()
    const webhook = await addWebhook(receiver.url)
    const user = await addUser('ada@example.com')
    await eventually(() => receiver.received.length).toBe(1)
    const [message] = receiver.received
    if (message === undefined) throw new Error('Nothing was received.')
    expect(verify(webhook.secret, message)).toMatchObject({ subject: { id: user.id } })
    await eventually(() => listAttempts(webhook.id)).toMatchObject([
      { type: 'user.created', attempt: 1, status: 204, reason: null },
    ])
    expect(running.errors()).not.toMatch(/"level":"error"/)
    dataOf(await client.deleteWebhook(webhook.id))
  })

  test('says of a webhook that it cannot send that the fault is its own', async () => {
    const webhook = await addWebhook('http://127.0.0.1:9/')
    const where = `where id = '${webhook.id}'`
    await runSql(database.url, `update clientele_webhooks set encrypted_secret = 'none' ${where}`)
    await addUser('grace@example.com')
    await eventually(() => listAttempts(webhook.id)).toMatchObject([
      { attempt: 1, status: null, reason: 'error' },
    ])
    const line = /^.*"A webhook could not be sent: the fault is ours\.".*$/m.exec(running.errors())
    expect(JSON.parse(line?.[0] ?? '{}')).toMatchObject({ level: 'error', webhookId: webhook.id })
    const [, port] = /"metrics":\{[^}]*"port":(\d+)/.exec(running.errors()) ?? []
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(page).toMatch(
      /^clientele_webhook_delivery_duration_seconds_count\{outcome="error"\} 1$/m,
    )
  })
})
