import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatLine } from '../../packages/cli/src/server/logging/format-line.ts'
import { runCommand } from '../support/run-command.ts'
import { hasTerminal, runInTerminal } from '../support/run-in-terminal.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

const [bold, red, green, reset] = ['\x1b[1m', '\x1b[31m', '\x1b[32m', '\x1b[39m']
const heading = /^(?:\S*)ID +NAME/m

let folder: string
let environment: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-colours-'))
  environment = { DATABASE_URL: `sqlite:${join(folder, 'users.sqlite')}` }
  for (const args of [['migrate'], ['account', 'create', '--name', 'Acme']]) {
    expect((await runCommand(args, environment)).code).toBe(0)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What a terminal shows of a command. */
async function show(args: string[], settings: Record<string, string> = {}, interruptAt?: RegExp) {
  const { screen } = await runInTerminal(args, { ...environment, ...settings }, interruptAt)
  return screen
}

const unknown = ['key', 'list', '--account', '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f']

describe.skipIf(!hasTerminal)('in a terminal (skipped without util-linux)', () => {
  test('titles of tables and help are bold, and an error is red', async () => {
    const table = await show(['account', 'list'])
    expect(table).toMatch(heading)
    expect(table.startsWith(bold)).toBe(true)
    expect(await show(['key', '--help'])).toContain(`${bold}Options:`)
    const failed = await show(unknown)
    expect(failed).toContain(`${bold}${red}error account_not_found:${reset}`)
    const misused = await show(['key', 'list'])
    expect(misused).toContain(`${bold}${red}error:${reset}`)
    const examined = await show(['doctor'])
    expect(examined).toContain(`${green}ok`)
  })

  test('NO_COLOR and a terminal that knows no colours get none', async () => {
    for (const setting of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      for (const args of [['account', 'list'], unknown]) {
        const screen = await show(args, setting)
        expect(screen.length).toBeGreaterThan(20)
        expect(screen, args.join(' ')).not.toContain('\x1b')
      }
    }
  })

  test('--json has no colours', async () => {
    const text = await show(['account', 'list', '--json'])
    expect(JSON.parse(text).accounts).toHaveLength(1)
    expect(JSON.parse(await show([...unknown, '--json'])).error.code).toBe('account_not_found')
  })

  const serve = (settings: Record<string, string>) =>
    show(['serve', '--port', '0'], settings, /Console: \S+\s/)
  const line = /^\d\d:\d\d:\d\d INFO {2}The server listens\. host=127\.0\.0\.1 port=\d+$/m

  test('the log of the server is for people: in colour, and without with NO_COLOR', async () => {
    const colored = await serve({})
    expect(colored).toContain(`${green}INFO ${reset} The server listens.`)
    expect(colored).not.toContain('{"level"')
    const plain = await serve({ NO_COLOR: '1' })
    expect(plain).toMatch(line)
    expect(plain).not.toContain('\x1b')
  })

  test('the log of the server is JSON with LOG_FORMAT=json, and in CI', async () => {
    for (const setting of [{ LOG_FORMAT: 'json' }, { CI: 'true' }]) {
      const screen = await serve(setting)
      expect(screen).toMatch(/^\{"level":"info".*"message":"The server listens\."\}$/m)
      expect(screen).not.toContain('\x1b')
    }
  })
})

describe('elsewhere', () => {
  test('nothing is in colour, unless FORCE_COLOR asks for it', async () => {
    for (const args of [['account', 'list'], unknown, ['key', '--help'], ['key', 'list']]) {
      const { output, errors } = await runCommand(args, environment)
      expect(output + errors, args.join(' ')).not.toContain('\x1b')
    }
    const { output } = await runCommand(['account', 'list'], { ...environment, FORCE_COLOR: '1' })
    expect(output.startsWith(bold)).toBe(true)
  })

  test('the log is JSON, or with LOG_FORMAT=pretty for people, a line for each request', async () => {
    for (const LOG_FORMAT of ['', 'pretty']) {
      const running = startProcess(cliScript, [], { ...environment, PORT: '0', LOG_FORMAT })
      const [, base] = await running.waitFor(/^Listening on (\S+)$/m)
      expect((await fetch(`${base}/client/user`)).status).toBe(401)
      running.child.kill('SIGTERM')
      expect(await running.ended).toBe(0)
      const lines = running.errors().trimEnd().split('\n')
      if (LOG_FORMAT === '')
        for (const each of lines) expect(JSON.parse(each)).toHaveProperty('level')
      else {
        expect(running.errors()).toMatch(
          /^\d\d:\d\d:\d\d INFO {2}GET \/client\/user 401 in \d+\.\d ms requestId=\S+ code=api_key_missing$/m,
        )
      }
      expect(running.errors()).not.toContain('\x1b')
    }
  })

  test('a line for people shows errors and objects below it, and no control characters', () => {
    const time = '2026-11-22T09:00:00.000Z'
    const error = { type: 'Error', message: 'no', stack: 'Error: no\n    at it (file.js:1:1)' }
    const entry = { level: 'error', time, name: 'a\x1b[2J', mail: { to: 'b\x07' }, error }
    const text = formatLine(`${JSON.stringify({ ...entry, message: 'It failed.\x1b[1m' })}\n`)
    const [first, ...below] = text.split('\n')
    expect(first).toMatch(/^\d\d:\d\d:\d\d ERROR It failed\.\ufffd\[1m name=a\ufffd\[2J$/)
    expect(below).toEqual([
      '    Error: no',
      '        at it (file.js:1:1)',
      "    mail: { to: 'b\\x07' }",
      '',
    ])
  })
})
