import { once } from 'node:events'
import { createClient, dataOf } from '@clientele/client'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished } from 'vitest'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { startServer } from '../support/start-server.ts'

export interface Mailbox {
  port: number
  /** Each mail, and whether it came encrypted and after a sign-in */
  mails: (Email & { isEncrypted: boolean; user: string | undefined })[]
  /** Users and passwords that were tried */
  tried: string[]
}

/** A mail server that accepts every e-mail; its user is `ada` with the password `swordfish`. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<Mailbox> {
  const box: Mailbox = { port, mails: [], tried: [] }
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    // The server that is tested keeps its connection for ten seconds.
    closeTimeout: 1,
    onAuth: ({ username = '', password = '' }, _session, answer) => {
      box.tried.push(`${username}:${password}`)
      if (username === 'ada' && password === 'swordfish') answer(null, { user: username })
      else answer(new Error(`no such user: ${username}`))
    },
    onData: (stream, session, answer) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', async () => {
        const email = await PostalMime.parse(Buffer.concat(parts))
        const user = session.user ? String(session.user) : undefined
        box.mails.push({ ...email, isEncrypted: session.secure, user })
        answer()
      })
    },
    ...options,
  })
  // A client that refuses our certificate is what some tests are about.
  server.on('error', () => {})
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  if (typeof address === 'object' && address !== null) box.port = address.port
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return box
}

/** A server with the user Ada, which is stopped when the test is over, or else what is to stop it is handed out. */
export async function startWithAda(
  settings: Record<string, string>,
  name = 'Ada',
  handOut: (stop: () => Promise<unknown>) => void = (stop) =>
    onTestFinished(async () => void (await stop())),
) {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:' }
  const running = startServer({ ...environment, ...settings })
  const stop = async (): Promise<number | null> => {
    running.child.kill('SIGTERM')
    return running.ended
  }
  handOut(stop)
  const [, base = ''] = await running.waitFor(/^Listening on (\S+)$/m)
  const [, apiKey = ''] = await running.waitFor(/^API key: (\S+)$/m)
  const client = createClient({ baseUrl: base, apiKey, fetch: fetchAndClose })
  const ada = { email: 'ada@example.com', password: 'analytical engine' }
  const { id } = dataOf(await client.createUser({ name, ...ada }))
  const askForReset = async () => dataOf(await client.forgotPassword({ email: ada.email }))
  return { running, stop, client, ada, userId: id, askForReset }
}

/** The texts in the log, which must not contain a secret or the user's data. */
export function expectQuietLog(log: string, ...secrets: string[]): void {
  for (const secret of ['ada@example.com', 'swordfish', ...secrets])
    expect(log).not.toContain(secret)
}

export async function waitForMails<T>(mails: T[], count = 1): Promise<T[]> {
  await expect.poll(() => mails.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count)
  return mails
}
