import { execFile, spawn } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import {
  lstat,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { insertUsers } from '../support/run-sql.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const count = 50_000

describe.each(databases)('user export on $name', ({ name, openEmpty }) => {
  let database: OpenDatabase
  let accountId: string
  let folder: string
  beforeAll(async () => {
    database = await openEmpty()
    const clientele = await openClientele(database.url)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    await clientele.users.create(accountId, input)
    await insertUsers(database.url, accountId, count)
    await clientele.close()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-export-'))
    return () => rm(folder, { recursive: true })
  })
  afterAll(() => database.close())

  function start(...args: string[]) {
    const all = ['user', 'export', '--account', accountId, ...args]
    return startProcess(cliScript, all, { DATABASE_URL: database.url })
  }
  async function run(...args: string[]) {
    const running = start(...args)
    return { code: await running.ended, output: running.output(), errors: running.errors() }
  }

  test.skipIf(!existsSync('/dev/full'))(
    'a full output device is reported in one sentence (needs /dev/full)',
    async () => {
      const exporting = ['user', 'export', '--account', accountId]
      for (const args of [exporting, ['account', 'list']]) {
        const full = await openFile('/dev/full', 'w')
        onTestFinished(() => full.close())
        const child = spawn(process.execPath, [cliScript, ...args], {
          env: { ...process.env, DATABASE_URL: database.url },
          stdio: ['ignore', full.fd, 'pipe'],
        })
        let errors = ''
        child.stderr?.on('data', (chunk) => {
          errors += chunk
        })
        const code = await new Promise((resolve) => child.on('close', resolve))
        expect({ code, errors }).toEqual({
          code: 1,
          errors: 'error: ENOSPC: no space left on device, write\n',
        })
      }
    },
  )

  test.each([
    ['head -n 1', 1],
    ['true', 0],
  ])('… | %s ends quietly', async (reader, lines) => {
    const codeFile = join(folder, 'code')
    const script = `{ '${process.execPath}' '${cliScript}' user export --account ${accountId}; echo $? > '${codeFile}'; } | ${reader}`
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', script], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
    })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n').filter(Boolean)).toHaveLength(lines)
    expect((await readFile(codeFile, 'utf8')).trim()).toBe('0')
  })

  test('--json is refused for an export to standard output, which is not one document', async () => {
    const { code, output, errors } = await run('--json')
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toContain('NDJSON')
    expect((await run('--help')).output).toContain('NDJSON')
    const file = join(folder, 'users.ndjson')
    const written = await run('--json', '--file', file)
    expect(JSON.parse(written.output)).toEqual({ exported: count + 1, file })
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(count + 2)
  })

  if (name !== 'sqlite') return

  test('the file appears only when it is complete, and only its owner can read it', async () => {
    const file = join(folder, 'users.ndjson')
    expect((await run('--file', file)).code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await run('--file', file, '--with-hashes')).code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['users.ndjson'])
    const before = await readFile(file, 'utf8')
    expect(before).toContain('$argon2id$')
    const none = startProcess(
      cliScript,
      ['user', 'export', '--file', file, '--account', '019dfae2-6a4d-7000-8000-000000000000'],
      { DATABASE_URL: database.url },
    )
    expect(await none.ended).toBe(1)
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await readdir(folder)).toEqual(['users.ndjson'])
  })

  test('existing symbolic links are not followed', async () => {
    const file = join(folder, 'users.ndjson')
    const victim = join(folder, 'victim')
    await writeFile(victim, 'precious', { mode: 0o644 })
    for (const link of [file, `${file}.partial`]) await symlink(victim, link)
    expect((await run('--file', file, '--with-hashes')).code).toBe(0)
    expect(await readFile(victim, 'utf8')).toBe('precious')
    const written = await lstat(file)
    expect(written.isFile()).toBe(true)
    expect(written.mode & 0o777).toBe(0o600)
    expect((await lstat(`${file}.partial`)).isSymbolicLink()).toBe(true)
  })

  test('a file that is not a regular one is not replaced', async () => {
    await mkdir(join(folder, 'folder'))
    for (const path of ['/dev/null', '/dev/stdout', join(folder, 'folder')]) {
      const before = await lstat(path)
      const { code, errors } = await run('--file', path)
      expect(code).toBe(1)
      expect(errors).toContain('can write only to a regular file')
      expect((await lstat(path)).mode).toBe(before.mode)
    }
    const away = await run('--file', join(folder, 'away', 'users.ndjson'))
    expect(away).toMatchObject({ code: 1, output: '' })
    expect(away.errors).toMatch(/The file cannot be written\. \(ENOENT/)
  })

  test('Ctrl-C leaves no file behind', async () => {
    const file = join(folder, 'users.ndjson')
    const watcher = watch(folder)
    const begun = new Promise<string>((resolve) => {
      watcher.on('change', (_kind, found) => resolve(String(found)))
    })
    const running = start('--file', file, '--with-hashes')
    const partial = await begun
    running.child.kill('SIGSTOP')
    watcher.close()
    expect(partial).toMatch(/^\.clientele-[\w-]{16}\.partial$/)
    expect((await stat(join(folder, partial))).mode & 0o777).toBe(0o600)
    running.child.kill('SIGINT')
    running.child.kill('SIGCONT')
    expect(await running.ended).toBe(130)
    expect(running.errors()).toBe('Interrupted: no file was written.\n')
    expect(await readdir(folder)).toEqual([])
  })
})
