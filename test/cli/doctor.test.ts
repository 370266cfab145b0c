import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { runSql } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret for tests that is long enough'
interface Finding {
  check: string
  status: string
  message: string
  advice?: string
}

describe.each(databases)('clientele doctor on $name', ({ name, open, openEmpty }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
    const clientele = await openClientele(database.url, { secrets: [secret] })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    await clientele.users.create(id, { name: 'Ada', ...credentials })
    // The first token makes a signing key.
    await clientele.auth.logIn(id, credentials)
    const endpoint = { url: 'https://example.com/hook', types: ['*'] }
    await clientele.webhooks.create(id, endpoint)
    await clientele.close()
  })
  afterAll(() => database.close())

  async function examine(environment: Record<string, string> = {}) {
    const all = { DATABASE_URL: database.url, CLIENTELE_SECRET: secret, ...environment }
    const { code, output } = await runCommand(['doctor', '--json'], all)
    const { findings }: { findings: Finding[] } = JSON.parse(output)
    const of = (check: string) => findings.filter((each) => each.check === check)
    return { code, findings, of }
  }

  test('says what is well', async () => {
    const { code, findings } = await examine()
    expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      ...['settings ok', 'database ok', 'migrations ok', 'clock ok', 'webhooks ok'],
      ...['secret ok', 'mail warning'],
    ])
    expect(code).toBe(0)
    const { output } = await runCommand(['doctor'], {
      ...{ DATABASE_URL: database.url, CLIENTELE_SECRET: secret },
    })
    expect(output).toMatch(/^ok +database +(SQLite|PostgreSQL) answers in \d+\.\d ms$/m)
    expect(output).toMatch(/^warning +mail .*\n +→ set SMTP_URL and MAIL_FROM/m)
  })

  test('says what is wrong, and changes nothing', async () => {
    const wrongSecret = await examine({ CLIENTELE_SECRET: 'another secret of some length' })
    expect([wrongSecret.code, wrongSecret.of('secret')]).toEqual([
      1,
      [
        expect.objectContaining({
          status: 'failed',
          advice: expect.stringContaining('secret'.toUpperCase()),
        }),
      ],
    ])
    const wrong = await examine({ PORT: 'many', SMTP_ULR: 'smtp://x', TOKEN_TLT: '5' })
    expect(
      wrong.of('settings').map(({ status, message }) => [status, message.split(' ')[0]]),
    ).toEqual([
      ['warning', 'SMTP_ULR'],
      ['warning', 'TOKEN_TLT'],
      ['failed', 'PORT'],
    ])
    const both = await examine({
      ...{ PORT: 'many', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' },
    })
    expect(both.of('mail')).toMatchObject([{ status: 'failed' }])
    const unread = await examine({ PORT: 'many', SMTP_URL: 'none', MAIL_FROM: 'a@example.com' })
    expect(unread.of('mail')).toMatchObject([{ message: expect.stringMatching(/^not examined/) }])
    const mail = await examine({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' })
    expect([mail.code, mail.of('mail')]).toEqual([
      1,
      [expect.objectContaining({ status: 'failed', advice: expect.stringContaining('SMTP_URL') })],
    ])
    const empty = await openEmpty()
    const missing = await examine({ DATABASE_URL: empty.url })
    const check = name === 'postgres' ? 'migrations' : 'database'
    const advice = expect.stringMatching(/^the server .* or clientele migrate$/)
    expect([missing.code, missing.of(check).at(-1)]).toEqual([
      0,
      expect.objectContaining({ status: 'warning', advice }),
    ])
    const withoutMigrations = await examine({ DATABASE_URL: empty.url, MIGRATE: 'false' })
    await empty.close()
    expect(withoutMigrations.code).toBe(name === 'postgres' ? 1 : 0)
  })

  test('advises to create a database that does not exist', async () => {
    if (name === 'sqlite') return
    const url = new URL(database.url)
    url.pathname = '/nowhere'
    const { of } = await examine({ DATABASE_URL: url.href })
    expect(of('database')).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^There is no such database on this server/),
        advice: 'CREATE DATABASE, or correct the name in DATABASE_URL',
      }),
    ])
  })

  test('encrypts nothing under a new secret', async () => {
    const read = () =>
      runSql(database.url, 'select encrypted_private_jwk as key from clientele_signing_keys')
    const before = await read()
    expect(before).toHaveLength(1)
    const { of } = await examine({ CLIENTELE_SECRET: `the next secret of the server,${secret}` })
    expect(of('secret')).toMatchObject([{ status: 'ok' }])
    expect(await read()).toEqual(before)
  })

  test('names endpoints that fail', async () => {
    await runSql(database.url, 'update clientele_webhooks set failing_since = 1700000000000')
    const { code, of } = await examine()
    const message = '1 of the endpoints fail, the first since 2023-11-14T22:13:20.000Z'
    expect([code, of('webhooks')]).toMatchObject([0, [{ status: 'warning', message }]])
    await runSql(database.url, 'update clientele_webhooks set failing_since = null')
  })

  test('names deliveries that are late', async () => {
    await runSql(database.url, 'update clientele_events set created_at = 1')
    const { code, of } = await examine()
    expect([code, of('webhooks')]).toEqual([
      0,
      [
        expect.objectContaining({
          status: 'warning',
          message: expect.stringMatching(/due for \d+ s/),
        }),
      ],
    ])
  })
})
