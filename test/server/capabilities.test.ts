import { type Client, createClient, dataOf } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyServerDatabase, type OpenDatabase } from '../support/databases.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { runSql } from '../support/run-sql.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'
import { eventually, receive, verify } from '../webhooks/webhook-world.ts'
import { startMailServer, waitForMails } from './mail-world.ts'

// One case of what the server alone does, or loads late; the other files have the rest.
describe.each(anyServerDatabase)('the server on $name', ({ name, open }) => {
  let database: OpenDatabase
  let running: RunningProcess
  let client: Client
  let mailPort: number
  beforeAll(async () => {
    database = await open()
    mailPort = await findFreePort()
    running = startProcess(cliScript, [], {
      PORT: '0',
      METRICS_PORT: '0',
      // On SQLite one process writes.
      WORKERS: name === 'postgres' ? '2' : '1',
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      MAIL_FROM: 'Acme <no-reply@acme.example>',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret of the tests that is long enough',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    })
    const [, baseUrl = ''] = await running.waitFor(/^Listening on (http:.+)$/m)
    const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
    client = createClient({ baseUrl, apiKey, fetch: fetchAndClose })
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

  test('delivers webhooks, and shows the attempts', async () => {
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
    expect(running.errors()).not.toContain('the fault is ours')
    dataOf(await client.deleteWebhook(webhook.id))
  })

  test('reports a webhook that it cannot send as its own fault', async () => {
    const webhook = await addWebhook('http://127.0.0.1:9/')
    const where = `where id = '${webhook.id}'`
    await runSql(database.url, `update clientele_webhooks set encrypted_secret = 'none' ${where}`)
    await addUser('grace@example.com')
    await eventually(() => listAttempts(webhook.id)).toMatchObject([
      { attempt: 1, status: null, reason: 'error' },
    ])
    // Lines of the log are written in batches.
    const findLine = () =>
      /^.*"A webhook could not be sent: the fault is ours\.".*$/m.exec(running.errors())
    await expect.poll(findLine, { timeout: 10_000 }).not.toBeNull()
    const line = findLine()
    expect(JSON.parse(line?.[0] ?? '{}')).toMatchObject({ level: 'error', webhookId: webhook.id })
    const [, port] = /"metrics":\{[^}]*"port":(\d+)/.exec(running.errors()) ?? []
    const page = await (await fetchAndClose(`http://127.0.0.1:${port}/metrics`)).text()
    expect(page).toMatch(
      /^clientele_webhook_delivery_duration_seconds_count\{outcome="error"\} 1$/m,
    )
  })

  test('sends the token of a password reset by SMTP', async () => {
    const box = await startMailServer({ disabledCommands: ['STARTTLS'] }, mailPort)
    await addUser('joan@example.com')
    dataOf(await client.forgotPassword({ email: 'joan@example.com' }))
    const [mail] = await waitForMails(box.mails)
    const [token = ''] = /^\S{40,}$/m.exec(mail?.text ?? '') ?? []
    dataOf(await client.resetPassword({ token, password: 'difference engine' }))
  })

  test('stops on its own, with all processes that it has started', async () => {
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
  })
})
