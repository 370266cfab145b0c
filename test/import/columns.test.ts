import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { toWire } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { bcryptOfPassword, ImportWorld, user } from './import-world.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(databases)('the columns of an import on $name', (target) => {
  let world: ImportWorld
  beforeAll(async () => {
    world = await ImportWorld.open(target)
  })
  afterAll(() => world.close())
  const total = async (account: string) => (await world.clientele.users.list(account)).total

  test('an unknown column stops the import before its first line, by name', async () => {
    const account = await world.newAccount()
    const lines = Array.from({ length: 2500 }, (_, number) => user(number))
    const file = await world.write([
      ...lines,
      user(2500, { passwordHash: bcryptOfPassword, 'last login': 5, ['__proto__']: {} }),
    ])
    for (const more of [[], ['--on-error', 'skip'], ['--dry-run'], ['--json']]) {
      const { code, output, errors } = await world.runImport(account, file, ...more)
      expect({ code, output }).toEqual({ code: 1, output: '' })
      const said = more[0] === '--json' ? JSON.parse(errors).error.message : errors
      expect(said).toContain('"passwordHash" (line 2501: did you mean password_hash?)')
      expect(said).toContain('"last login" (line 2501)')
      expect(errors).toContain('--ignore COLUMN')
      expect(errors).not.toContain(bcryptOfPassword)
    }
    expect(await total(account)).toBe(0)
    const ignored = await world.importJson(
      account,
      file,
      ...['--ignore', 'passwordHash', 'last login', '--ignore', '__proto__'],
    )
    expect(ignored).toMatchObject({ code: 0, imported: 2501, without_password: 2501 })
  })

  test('two passwords are reported together with other errors, from a file and in process', async () => {
    const account = await world.newAccount()
    const file = await world.write([
      user(1, { password: 'correct horse', password_hash: bcryptOfPassword, roles: 'admin' }),
    ])
    const result = await world.importJson(account, file, '--on-error', 'skip')
    const message = expect.stringMatching(
      /^\/roles must be an array; \/password_hash cannot be given beside password$/,
    )
    expect(result.errors).toEqual([{ line: 1, code: 'type', message }])
    const value = user(1, { password: 5, passwordHash: bcryptOfPassword, x: 1 })
    const inProcess = await world.clientele.users.import(
      account,
      Readable.from([{ line: 1, value }]),
      {
        onError: 'skip',
      },
    )
    expect(inProcess.errors[0]?.message.split('; ').toSorted()).toEqual([
      '/password must be a string',
      '/passwordHash cannot be given beside password',
      '/x is not known here',
    ])
    for (const none of ['null', '5', '"text"', '[]']) {
      const odd = await world.importJson(account, await world.write([none]), '--on-error', 'skip')
      expect(odd.errors).toEqual([expect.objectContaining({ line: 1, code: 'type' })])
    }
    expect(await total(account)).toBe(0)
  })

  test('an unknown or repeated CSV column stops the import', async () => {
    const account = await world.newAccount()
    const csv = (...lines: string[]) => world.write(lines, `${randomUUID()}.csv`)
    const unknown = await csv('email,name,nick', 'ada@example.com,Ada,a')
    const { code, errors } = await world.runImport(account, unknown)
    expect(code).toBe(1)
    expect(errors).toContain('"nick" (line 1)')
    const twice = await csv('email,name,email', 'ada@example.com,Ada,bob@example.com')
    expect((await world.runImport(account, twice)).errors).toContain('"email" twice')
    const empty = await csv('')
    expect((await world.runImport(account, empty)).errors).toContain('the file is empty')
    expect(await total(account)).toBe(0)
    const more = await csv('email,name', '"ada\r\nking",Ada,b', 'bob@example.com,Bob')
    expect(await world.importJson(account, more, '--on-error', 'skip')).toMatchObject({
      code: 2,
      imported: 1,
      errors: [{ line: 3, message: 'has more cells than the header line' }],
    })
    const ignored = await world.importJson(account, unknown, '--ignore', 'nick')
    expect(ignored).toMatchObject({ code: 0, imported: 1 })
  })

  test('columns are read under other names, from CSV and from NDJSON', async () => {
    const rows = [
      'mail,full_name,groups,name,seen',
      'ada@example.com,Ada Lovelace,"[""admin"",""editor""]",al,5',
      'grace@example.com,Grace Hopper,,gh,',
    ]
    const lines = [
      {
        mail: 'ada@example.com',
        full_name: 'Ada Lovelace',
        groups: ['admin', 'editor'],
        name: 'al',
      },
      { mail: 'grace@example.com', full_name: 'Grace Hopper', seen: 5 },
    ]
    const options = ['--map', 'mail=email', 'full_name=name', '--map', 'groups=roles']
    for (const file of [await world.write(rows, `${randomUUID()}.csv`), await world.write(lines)]) {
      const account = await world.newAccount()
      const ignored = ['--ignore', 'name', 'seen']
      expect(await world.importJson(account, file, ...options, ...ignored)).toMatchObject({
        code: 0,
        imported: 2,
      })
      const { data } = await world.clientele.users.list(account)
      expect(data.map(({ email, name, roles }) => ({ email, name, roles }))).toEqual([
        { email: 'ada@example.com', name: 'Ada Lovelace', roles: ['admin', 'editor'] },
        { email: 'grace@example.com', name: 'Grace Hopper', roles: [] },
      ])
      const both = await world.runImport(await world.newAccount(), file, ...options)
      expect([both.code, both.errors]).toEqual([
        1,
        expect.stringMatching(/line [12] has the columns "full_name" and "name"/),
      ])
    }
  })

  test('with other names, an interrupted import is another one', async () => {
    const account = await world.newAccount()
    const file = await world.write([{ email: 'ada@example.com', name: 'Ada', nick: 'Countess' }])
    const ignored = await world.importJson(account, file, '--ignore', 'nick')
    expect(ignored).toMatchObject({ imported: 1 })
    const mapped = ['--map', 'nick=name', '--ignore', 'name', '--on-conflict', 'update']
    expect(await world.importJson(account, file, ...mapped)).toMatchObject({ updated: 1 })
    const { data } = await world.clientele.users.list(account)
    expect(data.map(({ name }) => name)).toEqual(['Countess'])
  })

  test.each([
    [['mail'], 2, 'Write --map COLUMN=NAME'],
    [['=name'], 2, 'Write --map COLUMN=NAME'],
    [['mail=emial'], 2, 'no import takes the column "emial": did you mean email?'],
    [['mail=Email'], 2, 'did you mean email?'],
    [['mail=email', 'mail=name'], 2, 'names the column "mail" twice'],
    [['mail=email', 'name=email'], 2, 'reads two columns as email'],
    [['mail=email', '--ignore', 'mail'], 2, '--map and --ignore both name the column "mail"'],
    [['mial=email'], 1, 'has no column "mial", which --map names: did you mean mail?'],
    [['fullName=name', 'mail=email'], 1, 'has no column "fullName", which --map names.'],
    [['name=name'], 1, '"mail" (line 1: did you mean email?)'],
  ])('--map %j is refused by name before the first line', async (map, code, message) => {
    const account = await world.newAccount()
    const file = await world.write(['mail,name', 'ada@example.com,Ada'], `${randomUUID()}.csv`)
    const ended = await world.runImport(account, file, '--map', ...map)
    expect([ended.code, ended.errors]).toEqual([code, expect.stringContaining(message)])
    expect(await total(account)).toBe(0)
  })

  test('in process, an unknown member is an error of its record, by name', async () => {
    const account = await world.newAccount()
    const values = [user(1), user(2, { rolse: ['admin'], 'a/b': 1 }), user(3)]
    const stopped = await world.import(account, values)
    expect(stopped).toMatchObject({ imported: 1, skipped: 1, stoppedAtLine: 2 })
    expect(stopped.errors).toEqual([
      { line: 2, code: 'unrecognized', message: expect.stringContaining('/rolse is not known') },
    ])
    expect(stopped.errors[0]?.message).toContain('/a~1b is not known')
    const ignore = ['rolse', 'a/b', 'name']
    const nameless = await world.import(await world.newAccount(), values, { ignore })
    expect(nameless.errors).toMatchObject([{ line: 1, code: 'required' }])
    const other = await world.newAccount()
    const done = await world.import(other, values, { ignore: ['rolse', 'a/b'] })
    expect(done).toMatchObject({ imported: 3, stoppedAtLine: null, errors: [] })
  })

  test('unknown options of an import are refused', async () => {
    const account = await world.newAccount()
    for (const options of [{ onErorr: 'skip' }, { onConflict: 'merge' }, { ignore: 'name' }]) {
      const refused = world.import(account, [user(1)], options as never) // what must be refused
      expect(await codeOf(refused)).toBe('validation_failed')
    }
    expect(await total(account)).toBe(0)
  })

  test('id, email_verified and updated_at are imported, from NDJSON and from CSV', async () => {
    const id = '3f0c8b5e-9d1a-4c2b-8e7f-0123456789ab'
    const times = { created_at: '2020-01-02T03:04:05.678Z', updated_at: '2021-02-03T04:05:06.789Z' }
    const verified = '2020-01-03T00:00:00.000Z'
    const lines = [
      user(1, { id: id.toUpperCase(), email_verified: true, ...times }),
      user(2, { email_verified: verified }),
      user(3, { email_verified: false }),
      user(4, { email_verified: null }),
      user(5),
    ]
    const names = ['email', 'name', 'id', 'email_verified', 'created_at', 'updated_at']
    const cells = lines.map((line) =>
      names.map((name) => Object.entries(line).find(([key]) => key === name)?.[1] ?? '').join(','),
    )
    const files = [
      await world.write(lines),
      await world.write([names.join(','), ...cells], `${randomUUID()}.csv`),
    ]
    for (const file of files) {
      const account = await world.newAccount()
      const before = Date.now()
      expect(await world.importJson(account, file)).toMatchObject({ code: 0, imported: 5 })
      const { user: first } = await world.clientele.users.find(account, id)
      expect(toWire(first)).toMatchObject({ id, email: 'user1@example.com', ...times })
      const records = (await world.export(account)).trim().split('\n')
      const byEmail = new Map(
        records.map((line) => JSON.parse(line)).map((record) => [record.email, record]),
      )
      const verifiedOf = (number: number) => byEmail.get(`user${number}@example.com`).email_verified
      expect(Date.parse(verifiedOf(1))).toBeGreaterThanOrEqual(before)
      expect(verifiedOf(2)).toBe(verified)
      expect([3, 4, 5].map(verifiedOf)).toEqual([false, false, false])
    }
  })

  test.each([
    ['id', 'not-an-id', 'format'],
    ['id', '00000000-0000-0000-0000-000000000000', 'value'],
    ['email_verified', 'yes', 'type'],
    ['email_verified', 1, 'type'],
    ['updated_at', '2020-01-02', 'format'],
    ['created_at', '2020-01-02T03:04:05', 'format'],
    ['created_at', '2020-13-01', 'format'],
    // Beyond four digits of a year an export would write what no import takes.
    ['created_at', '9999-12-31T23:59:59-01:00', 'value'],
    ['updated_at', '0000-01-01T00:00:00+01:00', 'value'],
    ['email_verified', '9999-12-31T23:59:59-01:00', 'type'],
  ])('%s %j is an error of its line', async (name, value, code) => {
    const account = await world.newAccount()
    const { errors, imported } = await world.import(account, [user(1, { [name]: value })])
    expect({ errors, imported }).toMatchObject({ errors: [{ line: 1, code }], imported: 0 })
    expect(errors[0]?.message).toMatch(`/${name} must`)
    expect(errors[0]?.message.match(/must/g)).toHaveLength(1)
  })

  test('users without a password are counted and reported', async () => {
    const account = await world.newAccount()
    const lines = [
      user(1),
      user(2, { password: 'a password' }),
      user(3, { password_hash: bcryptOfPassword }),
      user(4),
    ]
    const file = await world.write(lines)
    const dry = await world.importJson(account, file, '--dry-run')
    expect(dry).toMatchObject({ code: 0, imported: 4, without_password: 2 })
    expect((await world.runImport(account, file)).output).toBe(
      'Imported: 4, skipped: 0, without a password: 2\n',
    )
  })

  test('an unverifiable hash stops the import, is skipped, or leaves its user without a password', async () => {
    const account = await world.newAccount()
    const lines = [
      user(1, { password_hash: bcryptOfPassword }),
      user(2, { password_hash: '{MD5}hunter2' }),
      user(3, { name: 'X' }),
      user(4, { password_hash: bcryptOfPassword }),
    ]
    const file = await world.write(lines)
    const run = (...more: string[]) => world.importJson(account, file, '--dry-run', ...more)
    const stopped = { code: 1, imported: 1, stopped_at_line: 2 }
    expect(await run()).toMatchObject(stopped)
    expect(await run('--on-error', 'skip', '--unknown-hash', 'stop')).toMatchObject(stopped)
    expect(await run('--unknown-hash', 'skip')).toMatchObject({ code: 1, stopped_at_line: 3 })
    const skipped = await run('--on-error', 'skip')
    expect(skipped).toMatchObject({ code: 2, imported: 2, skipped: 2, stopped_at_line: null })
    const reset = await world.importJson(
      account,
      file,
      ...['--on-error', 'skip', '--unknown-hash', 'reset'],
    )
    expect(reset).toMatchObject({ code: 2, imported: 3, skipped: 1, without_password: 1 })
    expect(JSON.stringify(reset)).not.toContain('hunter2')
    const signIn = (number: number) =>
      logIn(world.clientele, account, {
        email: `user${number}@example.com`,
        password: 'password',
      })
    await signIn(4)
    expect(await codeOf(signIn(2))).toBe('credentials_invalid')
  })

  test('a file that is imported and exported again is the same, to the byte', async () => {
    const account = await world.newAccount()
    const { clientele } = world
    const { user: made } = await clientele.users.create(account, {
      name: 'Ada Łovelace',
      email: 'ada@example.com',
      password: 'a password',
      roles: ['z', 'a'],
      metadata: { z: 1, a: [null, 'ü'], 1: {} },
    })
    await clientele.users.deactivate(account, made.id)
    await world.import(account, [
      user(1, { email_verified: true, password_hash: bcryptOfPassword }),
      user(2, { id: '3f0c8b5e-9d1a-4c2b-8e7f-0123456789ab', created_at: '1999-12-31T23:59:59Z' }),
      user(3, { email_verified: '1970-01-01T00:00:00Z', roles: ['b'], is_active: false }),
    ])
    for (const more of [['--with-hashes'], []]) {
      const exported = await world.export(account, ...more)
      expect(exported.trim().split('\n')).toHaveLength(4)
      for (const line of exported.trim().split('\n')) {
        expect(Object.keys(JSON.parse(line)).filter((name) => name !== 'password_hash')).toEqual([
          'id',
          'email',
          'name',
          'roles',
          'metadata',
          'is_active',
          'created_at',
          'updated_at',
          'email_verified',
        ])
      }
      const file = join(world.folder, `${randomUUID()}.ndjson`)
      await world.run('user', 'export', '--account', account, '--file', file, ...more)
      expect(await readFile(file, 'utf8')).toBe(exported)
      const other = await world.newAccount()
      expect(await world.importJson(other, file)).toMatchObject({ code: 0, imported: 4 })
      expect(await world.export(other, ...more)).toBe(exported)
      expect(await clientele.accounts.recount(other)).toBe(4)
      const updated = await world.importJson(account, file, '--on-conflict', 'update')
      expect(updated).toMatchObject({ code: 0, imported: 0, updated: 4, skipped: 0 })
      expect(await world.export(account, ...more)).toBe(exported)
    }
  })
})
