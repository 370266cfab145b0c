import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openClientele, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret of the tests with 38 letters.'
const metadata = { camelCase: 1, snake_case: { Z: null } }

describe.each(databases)('events on the command line on $name', ({ openEmpty }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let accountId: string
  let folder: string
  beforeAll(async () => {
    database = await openEmpty()
    clientele = await openClientele(database.url, {
      secrets: [secret],
      audit: { chain: true },
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    for (let index = 0; index < 30; index++) await addUser(`ada${index}@example.com`)
    folder = await mkdtemp(join(tmpdir(), 'clientele-events-'))
  })
  beforeEach(async () => {
    for (const file of await readdir(folder)) await rm(join(folder, file))
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const addUser = (email: string) =>
    clientele.users.create(accountId, { name: 'Ada', email, password: 'correct horse', metadata })
  const environment = () => ({ DATABASE_URL: database.url, CLIENTELE_SECRET: secret })
  const start = (...args: string[]): RunningProcess =>
    startProcess(cliScript, ['event', ...args, '--account', accountId], environment())
  async function run(...args: string[]) {
    const running = start(...args)
    return { code: await running.ended, output: running.output(), errors: running.errors() }
  }
  // Lines are JSON.
  const parse = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  /** The whole feed as HTTP has it. */
  async function readByHttp(): Promise<unknown[]> {
    const { apiKey } = await clientele.apiKeys.create(accountId)
    const { body } = await send(clientele, 'GET', '/client/event?limit=1000', { key: apiKey })
    return body.data as unknown[] // as HTTP answers
  }

  test('tail prints the last events, in the same form as HTTP', async () => {
    const all = await readByHttp()
    const { code, output, errors } = await run('tail')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(parse(output)).toEqual(all.slice(-20))
    expect(parse((await run('tail', '--lines', '2')).output)).toEqual(all.slice(-2))
    expect(await run('tail', '--lines', '1001')).toMatchObject({ code: 2, output: '' })
    expect(await run('tail', '--json')).toMatchObject({ code: 2, output: '' })
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('tail --follow prints new events, until %s', async (signal, code) => {
    const running = start('tail', '--follow', '--lines', '1')
    await running.waitFor(/\n/)
    await addUser(`${signal.toLowerCase()}@example.com`)
    await running.waitFor(new RegExp(`${signal.toLowerCase()}@example\\.com.*\n`))
    running.child.kill(signal)
    expect(await running.ended).toBe(code)
    expect(running.errors()).toBe('')
    expect(parse(running.output())).toHaveLength(2)
  })

  test('export prints all events; the last one is the export itself', async () => {
    const before = await readByHttp()
    const { code, output, errors } = await run('export')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    const events = parse(output)
    expect(events.slice(0, -1)).toEqual(before)
    expect(events.at(-1)).toMatchObject({
      type: 'events.exported',
      actor: { type: 'operator', id: null },
      subject: { type: 'account', id: accountId },
      data: { since: null },
    })
    const users = events.filter(({ type }) => type === 'user.created')
    for (const { data } of users) expect(data.user.metadata).toEqual(metadata)
    const past = parse((await run('export', '--since', '2h')).output)
    expect(past).toHaveLength(events.length + 1)
    expect(Date.parse(past.at(-1).data.since)).toBeLessThan(Date.now() - 7_100_000)
    const none = await run('export', '--since', '2199-01-01')
    expect({ code: none.code, output: none.output }).toEqual({ code: 0, output: '' })
    expect(await run('export', '--since', 'yesterday')).toMatchObject({ code: 2, output: '' })
    expect(await run('export', '--json')).toMatchObject({ code: 2, output: '' })
  })

  test('export writes a file that only its owner may read', async () => {
    const file = join(folder, 'events.ndjson')
    const { code, output } = await run('export', '--json', '--file', file)
    expect(code).toBe(0)
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(JSON.parse(output)).toEqual({ exported: lines.length, file })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['events.ndjson'])
  })

  test.each(['tail', 'tail --follow', 'export'])(
    'event %s | head ends quietly',
    async (command) => {
      const codeFile = join(folder, 'code')
      const script = `{ '${process.execPath}' '${cliScript}' event ${command} --account ${accountId}; echo $? > '${codeFile}'; } | head -n 1`
      const running = promisify(execFile)('/bin/sh', ['-c', script], {
        env: { PATH: process.env.PATH, ...environment() },
      })
      let isOver = false
      const ended = running.finally(() => {
        isOver = true
      })
      // The command notices that its output is closed only when it writes the next event.
      for (let index = 0; command.includes('follow') && !isOver; index++) {
        await addUser(`${command.replaceAll(/\W/g, '')}${index}${Math.random()}@example.com`)
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      const { stdout, stderr } = await ended
      expect(stderr).toBe('')
      expect(stdout.trim().split('\n')).toHaveLength(1)
      expect((await readFile(codeFile, 'utf8')).trim()).toBe('0')
    },
  )

  test('the feed has the events of signing keys; a missing account is reported', async () => {
    const { id } = await clientele.signingKeys.rotate(accountId)
    const own = startProcess(cliScript, ['event', 'export', '--account', accountId], environment())
    expect(await own.ended).toBe(0)
    expect(parse(own.output()).map(({ subject }) => subject.id)).toContain(id)
    for (const command of ['tail', 'export', 'verify']) {
      const none = startProcess(
        cliScript,
        ['event', command, '--account', '019dfae2-6a4d-7000-8000-000000000000'],
        environment(),
      )
      expect(await none.ended).toBe(1)
      expect(none.output()).toBe('')
      expect(none.errors()).toContain('account_not_found')
    }
  })

  test('verify reports a sound feed, and then the tampered entries', async () => {
    const sound = await run('verify')
    expect(sound).toMatchObject({ code: 0, errors: '' })
    expect(sound.output).toMatch(/^Verified: \d+ events up to number \d+, wrong: 0\n$/)
    const where = `where account_id = '${accountId}' and position = 4`
    const [entry] = (await runSql(
      database.url,
      `select id, request_id from clientele_events ${where}`,
    )) as { id: string; request_id: string }[] // what the statement selects
    await runSql(database.url, `update clientele_events set request_id = 'x' ${where}`)
    const changed = await run('verify')
    expect(changed).toMatchObject({ code: 1, errors: '' })
    expect(changed.output).toContain(`\nevent 4 (${entry?.id}): was changed after it was written\n`)
    const { code, output } = await run('verify', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(output)).toMatchObject({
      has_chain: true,
      is_sound: false,
      problem_count: 1,
      problems: [{ kind: 'changed', position: 4, last_position: 4, event_id: entry?.id }],
    })
    await runSql(
      database.url,
      `update clientele_events set request_id = '${entry?.request_id}' ${where}`,
    )
    expect(await run('verify')).toMatchObject({ code: 0 })
    const plain = await openClientele(database.url, { secrets: [secret] })
    const other = (await plain.accounts.create({ name: 'Other' })).id
    await plain.close()
    const none = startProcess(cliScript, ['event', 'verify', '--account', other], environment())
    expect(await none.ended).toBe(1)
    expect(none.output()).toMatch(/^There is no hash chain\. .* AUDIT_CHAIN=true/)
  })

  test('a chain needs the secret; a missing secret is reported', async () => {
    await addUser('unlinked@example.com')
    const args = ['event', 'verify', '--account', accountId]
    const without = startProcess(cliScript, args, { DATABASE_URL: database.url })
    expect(await without.ended).toBe(1)
    expect(without.output()).toBe('')
    expect(without.errors()).toContain('CLIENTELE_SECRET')
  })

  test('read-only commands create no database and change no schema', async () => {
    const missing = join(folder, 'missing.sqlite')
    for (const command of ['tail', 'export', 'verify']) {
      const running = startProcess(cliScript, ['event', command, '--account', accountId], {
        DATABASE_URL: `sqlite:${missing}`,
        CLIENTELE_SECRET: secret,
      })
      expect(await running.ended).toBe(1)
      expect(running.output()).toBe('')
    }
    expect(existsSync(missing)).toBe(false)
    const empty = await openEmpty()
    await runSql(empty.url, 'create table others (id integer)')
    const running = startProcess(cliScript, ['event', 'tail', '--account', accountId], {
      DATABASE_URL: empty.url,
      CLIENTELE_SECRET: secret,
    })
    expect(await running.ended).toBe(1)
    expect(running.errors()).toContain('migration_missing')
    await empty.close()
  })
})
