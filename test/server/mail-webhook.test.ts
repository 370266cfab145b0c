import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { dataOf } from '@clientele/client'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../support/run-command.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { expectQuietLog, startWithAda, waitForMails } from './mail-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

// The server waits long for an answer: the other tests run meanwhile.
let stopped: ReturnType<typeof stopDuringMail>
beforeAll(() => {
  stopped = stopDuringMail()
  stopped.catch(() => {})
})

/** Stops a server while it sends a mail to a receiver that does not answer. */
async function stopDuringMail(): Promise<{ code: number | null; errors: string }> {
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : 0
  const settings = {
    MAIL_WEBHOOK: `http://127.0.0.1:${port}/mails`,
    MAIL_WEBHOOK_SECRET: secret,
  }
  const stops: (() => Promise<unknown>)[] = []
  try {
    const { askForReset, running, stop } = await startWithAda(settings, 'Ada', (stop) =>
      stops.push(stop),
    )
    const received = once(silent, 'request')
    await askForReset()
    await received
    return { code: await stop(), errors: running.errors() }
  } finally {
    for (const stop of stops) await stop()
    silent.close()
  }
}

/** A receiver that answers with these statuses in turn, and then with 204. */
async function startReceiver(...statuses: number[]) {
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const part of req) body += part
    received.push({ headers: req.headers, body })
    res.writeHead(statuses.shift() ?? 204, { location: '/elsewhere' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    received,
    settings: { MAIL_WEBHOOK: `http://127.0.0.1:${port}/mails`, MAIL_WEBHOOK_SECRET: secret },
  }
}

test('each mail is posted as JSON, signed, and again with the same id after a fault', async () => {
  const { received, settings } = await startReceiver(503)
  const { client, ada, userId, running } = await startWithAda(settings)
  dataOf(await client.forgotPassword({ email: ada.email, locale: 'pt-br' }))
  const [first, again] = await waitForMails(received, 2)
  if (first === undefined || again === undefined) throw new Error('It was not sent again.')
  expect(again.body).toBe(first.body)
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
  const header = (name: string): string => String(again.headers[name])
  const body = new Webhook(secret).verify(again.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  })
  expect(body).toEqual({
    id: header('webhook-id'),
    kind: 'password_reset',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    account_id: expect.any(String),
    to: ada.email,
    user: dataOf(await client.findUser(userId)),
    token: expect.any(String),
    locale: 'pt-BR',
    expires_in: 3600,
  })
  const { token }: { token: string } = JSON.parse(again.body)
  dataOf(await client.resetPassword({ token, password: 'difference engine' }))
  expectQuietLog(running.errors(), token, secret)
  expect(ada.email).toBe('ada@example.com')
})

const finalStatuses = [302, 400, 410]

// A server each
test.each(runsEveryTest ? finalStatuses : finalStatuses.slice(0, 1))(
  '%i is final: logged, and not retried',
  async (status) => {
    const { received, settings } = await startReceiver(status)
    const { askForReset, running } = await startWithAda(settings)
    await askForReset()
    await expect.poll(running.errors).toContain('A mail could not be sent.')
    expect(running.errors()).toContain(`MAIL_WEBHOOK answered ${status}.`)
    expect(received).toHaveLength(1)
    expectQuietLog(running.errors())
  },
)

test.each([
  [
    {
      SMTP_URL: 'smtp://a',
      MAIL_FROM: 'a@b',
      MAIL_WEBHOOK: 'http://a',
      MAIL_WEBHOOK_SECRET: secret,
    },
    'SMTP_URL and MAIL_WEBHOOK',
  ],
  [{ SMTP_URL: 'smtp://a' }, 'SMTP_URL needs MAIL_FROM.'],
  [{ MAIL_FROM: 'a@example.com' }, 'MAIL_FROM needs SMTP_URL.'],
  [{ MAIL_TEMPLATES: './mails' }, 'MAIL_TEMPLATES needs SMTP_URL.'],
  [{ MAIL_WEBHOOK: 'http://a' }, 'MAIL_WEBHOOK needs MAIL_WEBHOOK_SECRET.'],
  [{ MAIL_WEBHOOK_SECRET: secret }, 'MAIL_WEBHOOK_SECRET needs MAIL_WEBHOOK.'],
  [
    { MAIL_WEBHOOK_SECRET: 'whsec_hunter2', MAIL_WEBHOOK: 'http://a' },
    'MAIL_WEBHOOK_SECRET must be whsec_',
  ],
  [{ SMTP_URL: 'http://ada:hunter2@a', MAIL_FROM: 'a@b' }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://a', MAIL_FROM: 'Acme' }, 'MAIL_FROM must be an address'],
  [{ SMTP_URL: 'smtp://a', MAIL_FROM: 'Acme <a@b' }, 'MAIL_FROM must be an address'],
  [{ MAIL_WEBHOOK: 'ftp://a', MAIL_WEBHOOK_SECRET: secret }, 'MAIL_WEBHOOK must be'],
])('%j is refused', async (settings, sentence) => {
  const { code, output, errors } = await runCommand(['serve'], settings)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  expect(errors.startsWith(sentence)).toBe(true)
  expect(errors.trim().split('\n')).toHaveLength(1)
  expect(errors).not.toContain('hunter2')
})

test('SIGTERM during an e-mail: logged, if it is not delivered', async () => {
  const { code, errors } = await stopped
  expect(code).toBe(0)
  expect(errors).toMatch(/"mails":1,"message":"Mails were not sent/)
  expectQuietLog(errors)
})
