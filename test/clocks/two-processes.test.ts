import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

const secret = 'a secret of the tests that is long enough'
const credentials = { email: 'ada@example.com', password: 'correct horse' }

/** What these operations answer with, as documented */
interface Answer {
  data: { token: string; refresh_token: string; challenge: string }
  secret: string
  isValid: boolean
}

// Processes of one SQLite file run on one machine, by one clock.
describe('two servers on one PostgreSQL whose clocks are five minutes apart', () => {
  let database: OpenDatabase
  let key = ''
  let userId = ''
  const origins: string[] = []
  const errors: (() => string)[] = []
  const endings: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = await openDatabase('postgres')
    const clientele = await openClientele(database.url, { secrets: [secret] })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    key = (await clientele.apiKeys.create(id)).apiKey
    userId = (await clientele.users.create(id, { name: 'Ada', ...credentials })).user.id
    await clientele.close()
    for (const shiftMs of [300_000, -300_000, 0]) {
      const running = startProcess(cliScript, [], {
        PORT: '0',
        DATABASE_URL: database.url,
        CLIENTELE_SECRET: secret,
        CLOCK_SHIFT: String(shiftMs),
        LOG_LEVEL: 'warn',
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shift-clock.ts')}`,
      })
      const [, origin = ''] = await running.waitFor(/^Listening on (\S+)$/m)
      origins.push(origin)
      errors.push(() => running.errors())
      endings.push(() => {
        running.child.kill('SIGTERM')
        return running.ended
      })
    }
  })
  afterAll(async () => {
    await Promise.all(endings.map((end) => end()))
    await database.close()
  })

  async function ask(server: number, path: string, body: object) {
    const response = await fetch(`${origins[server]}/client/user${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }

  const pairs = [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 1],
  ] as const

  test.each(pairs)('%i signs in, and %i takes what it gave', async (one, other) => {
    const { body } = await ask(one, '/auth/login', credentials)
    const { token, refresh_token } = body.data
    const validated = await ask(other, '/auth/validation-token', { token: `Bearer ${token}` })
    expect(validated).toMatchObject({ status: 200, body: { isValid: true } })
    // Two tabs refresh at once, each at another server.
    const first = await ask(one, '/auth/refresh', { refresh_token })
    const second = await ask(other, '/auth/refresh', { refresh_token })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.refresh_token).toBe(first.body.data.refresh_token)
    const next = await ask(other, '/auth/refresh', {
      refresh_token: first.body.data.refresh_token,
    })
    expect(next.status).toBe(200)
  })

  test('a challenge of one is answered at the other, with a code of the true time', async () => {
    const { body } = await ask(0, `/${userId}/two-factor/totp`, {})
    const totp = new TOTP({ secret: Secret.fromBase32(body.secret) })
    const at = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 })
    const confirmed = await ask(1, `/${userId}/two-factor/totp/confirm`, { code: at(-1) })
    expect(confirmed.status).toBe(200)
    for (const [one, other, steps] of [
      [1, 0, 0],
      [0, 1, 1],
    ] as const) {
      const { data } = (await ask(one, '/auth/login', credentials)).body
      const answer = { challenge: data.challenge, method: 'totp', code: at(steps) }
      expect((await ask(other, '/auth/login/two-factor', answer)).status).toBe(200)
    }
  })

  test('those whose clocks are wrong say so, and no other', () => {
    const told = errors.map((read) =>
      read()
        .split('\n')
        .filter((line) => line.includes("differs from the database's"))
        .map((line) => Math.round((JSON.parse(line) as { aheadSeconds: number }).aheadSeconds)),
    )
    expect(told).toEqual([[300], [-300], []])
  })
})
