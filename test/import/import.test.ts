import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clientele, ImportResult } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runCommand } from '../support/run-command.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { cliScript } from '../support/start-process.ts'

const databases = eitherDatabase(import.meta.filename)

const bcryptOfPassword = '$2b$04$TwHKXZQsMqZDFiook9o9ZePfuqw4e1bOBFZSGGVgyQuBGWWx0KmrG'

// Some commands are processes, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 90_000 })

describe.each(databases)('import and export on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let folder: string

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
    folder = await mkdtemp(join(tmpdir(), 'clientele-import-'))
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const newAccount = async () => (await clientele.accounts.create({ name: 'Acme' })).id

  async function write(lines: unknown[], name = `${randomUUID()}.ndjson`): Promise<string> {
    const file = join(folder, name)
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    await writeFile(file, `${texts.join('\n')}\n`)
    return file
  }

  /** Runs a command; answers with what it prints, also when it fails. */
  async function run(...args: string[]): Promise<string> {
    return (await runCommand(args, { DATABASE_URL: database.url })).output
  }

  async function runImport(
    account: string,
    file: string,
    ...more: string[]
  ): Promise<ImportResult> {
    const printed = await run(
      '--json',
      'user',
      'import',
      '--account',
      account,
      '--file',
      file,
      ...more,
    )
    return JSON.parse(printed) as ImportResult // what the command prints
  }

  const user = (number: number, more: object = {}) => ({
    email: `user${number}@example.com`,
    name: `User ${number}`,
    ...more,
  })

  test('if reading the records fails, the batches under way are stored first', async () => {
    const account = await newAccount()
    const told: number[] = []
    async function* records() {
      for (let line = 1; line <= 2000; line++) yield { line, value: user(line) }
      throw new Error('The disk is away.')
    }
    const onProgress = ({ imported }: { imported: number }): void => void told.push(imported)
    await expect(
      clientele.users.import(account, records(), {
        largeBatches: true,
        source: 'a file',
        onProgress,
      }),
    ).rejects.toThrow('The disk is away.')
    expect(told).toEqual([1000, 2000])
    expect((await clientele.users.list(account)).total).toBe(2000)
  })

  test('a list can be imported, and what is no record is named', async () => {
    const account = await newAccount()
    const users = [1, 2].map((n) => ({ name: 'Ada King', email: `ada-${n}@example.com` }))
    const records = users.map((value, index) => ({ line: index + 1, value }))
    expect(await clientele.users.import(account, records)).toMatchObject({ imported: 2 })
    const plain = Reflect.apply(clientele.users.import, undefined, [
      account,
      [...records, users[0]],
    ])
    await expect(plain).rejects.toMatchObject({
      code: 'validation_failed',
      issues: [
        {
          pointer: '/records/2',
          message: expect.stringMatching(/^must be a record, \{ line, value \}/),
        },
      ],
    })
    const one = Reflect.apply(clientele.users.import, undefined, [account, users[0]])
    await expect(one).rejects.toMatchObject({ issues: [{ pointer: '/records', code: 'type' }] })
    const misspelt = [{ line: 7, value: { nmae: 'Ada', email: 'ada@example.com' } }]
    expect((await clientele.users.import(account, misspelt)).errors).toEqual([
      {
        line: 7,
        code: 'required',
        message: '/name is required; /nmae is not known here (did you mean name?)',
      },
    ])
  })

  test('an export can be imported, in order, with hashes', async () => {
    const account = await newAccount()
    const lines = [
      user(3, {
        roles: ['admin', 'billing'],
        metadata: { z: 1, a: [null, 'ü'] },
        is_active: false,
        created_at: '2020-01-02T03:04:05.678Z',
      }),
      user(1, { password_hash: bcryptOfPassword, created_at: '2024-01-01T00:00:00.000Z' }),
      user(2, { password: 'a password' }),
    ]
    const file = await write(lines)
    expect(await runImport(account, file)).toMatchObject({ imported: 3, skipped: 0, errors: [] })
    const out = join(folder, `${randomUUID()}.ndjson`)
    await run('user', 'export', '--account', account, '--file', out, '--with-hashes')
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    const exported = (await readFile(out, 'utf8')).trim().split('\n')
    expect(exported.map((line) => JSON.parse(line).email)).toEqual([
      'user3@example.com',
      'user1@example.com',
      'user2@example.com',
    ])
    expect(JSON.parse(exported[0] ?? '')).toMatchObject(lines[0] ?? {})
    const other = await newAccount()
    expect((await runImport(other, out)).imported).toBe(3)
    expect(await run('user', 'export', '--account', other, '--with-hashes')).toBe(
      await readFile(out, 'utf8'),
    )
    expect(await run('user', 'export', '--account', other)).not.toContain('password_hash')
    await logIn(clientele, other, { email: 'user1@example.com', password: 'password' })
    await logIn(clientele, other, { email: 'user2@example.com', password: 'a password' })
    const listed = await clientele.users.list(other, { role: 'billing' })
    expect(listed.total).toBe(1)
  })

  test('invalid lines are reported by number: they stop the import, or are skipped', async () => {
    const account = await newAccount()
    const file = await write([
      user(1),
      user(2),
      '{"email": broken',
      user(3, { name: 'X', roles: 'admin' }),
      user(1),
      user(4, { password: 'short' }),
      user(5, { password_hash: '$argon2id$v=19$m=4294967295,t=1,p=1$c2FsdHNhbHQ$aGFzaA' }),
      user(6),
    ])
    const stopped = await runImport(account, file)
    expect(stopped).toMatchObject({ imported: 2, skipped: 1, errors: [{ line: 3 }] })
    expect((await clientele.users.list(account)).total).toBe(2)
    const again = await runImport(account, file)
    expect(again).toMatchObject({ earlier: { records: 2, imported: 2, skipped: 0 } })
    expect({ ...again, earlier: null }).toEqual(stopped)
    const dry = await runImport(account, file, '--dry-run', '--on-error', 'skip')
    expect((await clientele.users.list(account)).total).toBe(2)
    const skipped = await runImport(account, file, '--on-error', 'skip')
    expect(skipped).toEqual(dry)
    expect(skipped).toMatchObject({ imported: 3, skipped: 5 })
    expect(skipped.errors.map(({ line, code }) => [line, code])).toEqual([
      [3, 'malformed'],
      [4, 'too_short'],
      [5, 'email_taken'],
      [6, 'too_short'],
      [7, 'format'],
    ])
    expect((await clientele.users.list(account)).total).toBe(3)
  })

  test('an e-mail that is taken stops the import before it, in a dry run too', async () => {
    const account = await newAccount()
    const file = await write([user(1), user(2), user(1), user(3)])
    const expected = { imported: 2, skipped: 1, errors: [{ line: 3, code: 'email_taken' }] }
    expect(await runImport(account, file, '--dry-run')).toMatchObject(expected)
    expect(await runImport(account, file)).toMatchObject(expected)
    expect((await clientele.users.list(account)).total).toBe(2)
    const printed = await run('user', 'import', '--account', account, '--file', file)
    expect(printed).toContain('run it with --from-line 3.')
    const rest = await runImport(account, file, '--from-line', '4')
    expect(rest).toMatchObject({ imported: 1, skipped: 0, errors: [] })
    expect(await clientele.accounts.recount(account)).toBe(3)
  })

  test('CSV has the same columns', async () => {
    const account = await newAccount()
    const file = await write(
      [
        'email,name,roles,metadata,is_active,created_at',
        'ada@example.com,"Lovelace, Ada","[""admin""]","{""plan"":""pro""}",false,2020-01-02T03:04:05.678Z',
        'bob@example.com,Bob,,,,',
        'bad@example.com,Bad,[admin],,,',
      ],
      `${randomUUID()}.csv`,
    )
    const result = await runImport(account, file, '--on-error', 'skip')
    expect(result).toMatchObject({ imported: 2, skipped: 1, errors: [{ line: 4 }] })
    const { data } = await clientele.users.list(account)
    expect(data[0]).toMatchObject({
      name: 'Lovelace, Ada',
      roles: ['admin'],
      metadata: { plan: 'pro' },
      isActive: false,
      createdAt: new Date('2020-01-02T03:04:05.678Z'),
    })
    expect(data[1]).toMatchObject({ name: 'Bob', roles: [], metadata: {}, isActive: true })
  })

  test('a killed import continues where it was, while users are created', async () => {
    const account = await newAccount()
    const count = runsEveryTest ? 30_000 : 10_000
    const file = await write(Array.from({ length: count }, (_, number) => user(number)))
    const env = { ...process.env, DATABASE_URL: database.url }
    let created = 0
    for (let round = 0; round < (runsEveryTest ? 4 : 2); round++) {
      const child = spawn(
        process.execPath,
        [cliScript, 'user', 'import', '--account', account, '--file', file],
        { env, stdio: 'ignore' },
      )
      const ended = new Promise((resolve) => child.once('exit', resolve))
      const before = (await clientele.users.list(account)).total
      await expect
        .poll(async () => (await clientele.users.list(account)).total, {
          timeout: 60_000,
          interval: 5,
        })
        .toBeGreaterThan(before)
      await clientele.users.create(account, {
        name: 'Live',
        email: `live${created++}@example.com`,
        password: 'password',
      })
      child.kill('SIGKILL')
      await ended
    }
    const result = await runImport(account, file)
    expect(result).toMatchObject({ imported: count, skipped: 0, errors: [] })
    const { total } = await clientele.users.list(account)
    expect(total).toBe(count + created)
    expect(await clientele.accounts.recount(account)).toBe(total)
    const exported = (await run('user', 'export', '--account', account)).trim().split('\n')
    const emails = exported.map((line) => JSON.parse(line).email as string)
    expect(emails.filter((email) => email.startsWith('user'))).toEqual(
      Array.from({ length: count }, (_, number) => `user${number}@example.com`),
    )
  })
})
