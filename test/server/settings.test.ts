import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../package/source-files.ts'
import { runCommand } from '../support/run-command.ts'
import { startServer } from '../support/start-server.ts'

async function refuse(settings: Record<string, string>): Promise<string> {
  const environment = { DATABASE_URL: 'sqlite::memory:', ...settings }
  const { code, output, errors } = await runCommand(['serve'], environment)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  return errors
}

/** What these need to be the only fault */
const besides: Record<string, Record<string, string>> = {
  SMTP_URL: { MAIL_FROM: 'no-reply@example.com' },
  DATABASE_URL: { CLIENTELE_SECRET: 'a secret for tests that is long enough' },
}

test.each([
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['TOKEN_TTL', '0'],
  ['TOKEN_TTL', '1.5'],
  ['EVENT_RETENTION_DAYS', '0'],
  ['LOG_LEVEL', 'loud'],
  ['SIGNING_ALGORITHM', 'HS256'],
  ['TOKEN_TYPE', 'at'],
  ['LOG_MAIL', 'yes'],
  ['MIGRATE', 'no'],
  ['TRUST_REQUEST_IDS', '1'],
  ['AUDIT_CHAIN', 'on'],
  ['CLIENTELE_SECRET', 'hunter2,,'],
  ['CLIENTELE_SECRET', 'hunter2'],
  ['CLIENTELE_SECRET', 'a secret that is long enough,hunter2'],
  ['SMTP_URL', 'smtp://mail.example.com?logger=true&debug=true'],
  ['SMTP_URL', 'smtp://ada:1?hunter2@mail.example.com'],
  ['SMTP_URL', 'smtp://mail.example.com?ignoreTLS=true'],
  ['SMTP_URL', 'smtp://mail.example.com?requireTLS=hunter2'],
  ['PUBLIC_URL', 'api.example.com'],
  ['PUBLIC_URL', 'ftp://example.com/hunter2'],
  ['PUBLIC_URL', 'https://ada:hunter2@example.com'],
  ['DATABASE_URL', 'mysql://root:hunter2@localhost/db'],
  ['DATABASE_URL', 'sqlite:'],
  ['DATABASE_URL', 'postgres://ada:hunter2@localhost/db?shema=ours'],
  ['DATABASE_URL', 'postgres://ada:hunter2@localhost/db?sslmode=verify-ca'],
])('%s=%s is refused in one line that names it', async (name, value) => {
  const errors = await refuse({ ...besides[name], [name]: value })
  expect(errors).toMatch(new RegExp(`^${name} [^\\n]+\\.\\n$`))
  expect(errors).not.toContain('hunter2')
})

test('events are kept for as long as tokens live', async () => {
  const errors = await refuse({ EVENT_RETENTION_DAYS: '1', TOKEN_TTL: '90000' })
  expect(errors).toBe('EVENT_RETENTION_DAYS must be at least as long as TOKEN_TTL.\n')
})

test('all invalid settings are reported at once', async () => {
  const errors = await refuse({ PORT: '80a', MIGRATE: 'no', PUBLIC_URL: 'x', LOG_LEVEL: 'loud' })
  const names = errors
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0])
  expect(names).toEqual(['PORT', 'MIGRATE', 'PUBLIC_URL', 'LOG_LEVEL'])
})

test('conflicts between settings are reported with the rest', async () => {
  const settings = { LOG_MAIL: 'true', DATABASE_URL: 'postgres://host/db?shema=ours', PORT: '80a' }
  for (const LOG_LEVEL of ['error', 'silent']) {
    const errors = await refuse({ ...settings, LOG_LEVEL })
    expect(errors.trim().split('\n')).toEqual([
      expect.stringMatching(/^PORT must be /),
      'DATABASE_URL is not valid: the parameter shema is not known.',
      expect.stringMatching(/^CLIENTELE_SECRET must be set on PostgreSQL/),
      expect.stringMatching(/^LOG_MAIL needs LOG_LEVEL warn, info or debug/),
    ])
  }
})

test('misspelt settings are named with the invalid ones', async () => {
  const errors = await refuse({
    ...{ PORT: 'abc', SMPT_URL: 'smtp://mail.example.com', MAIL_FROM: 'no-reply@example.com' },
  })
  expect(errors.trim().split('\n')).toEqual([
    expect.stringMatching(/^PORT must be /),
    'MAIL_FROM needs SMTP_URL.',
    'SMPT_URL is not known: is it SMTP_URL?',
  ])
})

test.each([
  ['HOST', {}],
  ['METRICS_HOST', { METRICS_PORT: '0' }],
])('%s that is no address of this machine is named', async (name, settings) => {
  for (const address of ['192.0.2.1', 'nowhere.invalid']) {
    const environment = { DATABASE_URL: 'sqlite::memory:', PORT: '0', LOG_LEVEL: 'error' }
    const running = startServer({ ...environment, ...settings, [name]: address })
    expect(await running.ended).toBe(1)
    expect(running.errors()).toMatch(new RegExp(`^${name} cannot be listened on: `))
  }
})

test('a port in use is named before anything is made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-port-'))
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo // of a server that listens
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'data/users.sqlite')}`,
    PORT: String(port),
  }
  const { code, errors } = await runCommand(['serve'], settings)
  other.close()
  const reason = `port ${port} is in use. End that program, or set PORT to another port.`
  expect([code, errors.trim()]).toEqual([1, `PORT cannot be listened on: ${reason}`])
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('a misspelt name of a setting is reported, and so is an unknown one with our prefix', async () => {
  const running = startServer({
    ...{ DATABASE_URL: 'sqlite::memory:', PORT: '0', HOME: '/', HOSTNAME: 'here', LANG: 'C' },
    ...{
      CLIENTELE_API_KEY: 'cu_live_x',
      PUBLIC_ULR: 'x',
      TRUST_REQUEST_ID: 'true',
      CLIENTELE_PORT: '80',
    },
  })
  await running.waitFor(/^Listening/m)
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  const messages = running
    .errors()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).message)
  expect(messages.filter((message) => / is not known/.test(message)).toSorted()).toEqual([
    'CLIENTELE_PORT is not known.',
    'PUBLIC_ULR is not known: is it PUBLIC_URL?',
    'TRUST_REQUEST_ID is not known: is it TRUST_REQUEST_IDS?',
  ])
})

// To take over what was changed, write it into the README as the help says it.
test('the README has the settings that --help has, with the same words and defaults', async () => {
  const { code, output } = await runCommand(['serve', '--help'], {})
  expect(code).toBe(0)
  const helped = [...output.matchAll(/^ {2}([A-Z][A-Z_]+)(?: \((.+)\))?\n((?: {6}.+\n)+)/gm)]
  const inHelp = helped.map(([, variable, fallback = '', about = '']) => [
    variable,
    fallback,
    about.trim().replaceAll(/\n {6}/g, ' '),
  ])
  const readme = readFileSync(join(root, 'packages/cli/README.md'), 'utf8')
  const [, settings = ''] = /^## Settings\n(.*)/ms.exec(readme) ?? []
  const rows = settings.matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)
  const inReadme = Array.from(rows, ([, ...cells]) =>
    cells.map((cell) => cell.replaceAll('`', '').trim()),
  )
  expect(inReadme.length).toBeGreaterThan(10)
  expect(inReadme).toEqual(inHelp)
})
