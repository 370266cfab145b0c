import type { ClientUser } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { bcryptOfPassword, ImportWorld, toRecords, user } from './import-world.ts'

const databases = eitherDatabase(import.meta.filename)

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const idOf = (number: number): string =>
  `3f0c8b5e-9d1a-4c2b-8e7f-${String(number).padStart(12, '0')}`

describe.each(databases)('records of existing users on $name', (target) => {
  let world: ImportWorld
  beforeAll(async () => {
    world = await ImportWorld.open(target)
  })
  afterAll(() => world.close())

  async function open(...values: object[]) {
    const account = await world.newAccount()
    await world.import(account, values)
    const list = async (): Promise<ClientUser[]> =>
      (await world.clientele.users.list(account, { limit: 100, sort: 'email' })).data
    const find = async (number: number): Promise<ClientUser | undefined> =>
      (await list()).find(({ email }) => email === `user${number}@example.com`)
    /** What totals are read from agrees with the users themselves. */
    const isExact = async (): Promise<void> => {
      const { total } = await world.clientele.users.list(account)
      expect(total).toBe(await world.clientele.accounts.recount(account))
      const admins = await world.clientele.users.list(account, { role: 'admin' })
      const all = await list()
      expect(admins.total).toBe(all.filter(({ roles }) => roles.includes('admin')).length)
    }
    return { account, list, find, isExact }
  }

  test('stop the import or are skipped, matched by e-mail and by id', async () => {
    const { account, isExact } = await open(user(1, { id: idOf(1) }), user(2))
    const file = await world.write([
      user(3),
      user(9, { id: idOf(1) }),
      user(2),
      user(3),
      user(4, { id: idOf(4) }),
      user(5, { id: idOf(4) }),
      user(6),
    ])
    const stopped = await world.runImport(account, file)
    expect(stopped.code).toBe(1)
    expect(stopped.output).toBe(
      'Imported: 1, skipped: 0, refused: line 2, without a password: 1\n' +
        'line 2: id_taken: /id is taken by another user of this account\n' +
        'Stopped at line 2: no line after it was read. To skip it, run the same command with --on-conflict skip (or update). Or correct the line, and run it with --from-line 2.\n',
    )
    const dry = await world.importJson(account, file, '--dry-run', '--on-error', 'skip')
    const other = await open(user(1, { id: idOf(1) }), user(2), user(3))
    const bad = await world.importJson(other.account, file, '--on-error', 'skip')
    expect(bad).toMatchObject({ code: 2, imported: 2, skipped: 5, conflicts: 5, updated: 0 })
    expect(bad.errors.map(({ line, code }) => [line, code])).toEqual([
      [1, 'email_taken'],
      [2, 'id_taken'],
      [3, 'email_taken'],
      [4, 'email_taken'],
      [6, 'id_taken'],
    ])
    const skipped = await world.importJson(account, file, '--on-conflict', 'skip')
    // The first run had stored line 1 and noted how far it had come.
    expect(skipped).toMatchObject({ code: 0, imported: 3, skipped: 4, conflicts: 4, errors: [] })
    expect(dry).toMatchObject({ code: 2, imported: 3, skipped: 4, conflicts: 4 })
    await isExact()
    await other.isExact()
  })

  test('a skipped record does not block the next one with its e-mail', async () => {
    const { account, list } = await open(user(1, { id: idOf(1) }))
    const values = [user(2, { id: idOf(1) }), user(2, { id: idOf(2) })]
    const result = await world.import(account, values, { onConflict: 'skip' })
    expect(result).toMatchObject({ imported: 1, conflicts: 1 })
    expect((await list()).map(({ id }) => id)).toEqual([idOf(1), idOf(2)])
  })

  test('an invalid line beside them stops the import by the rule for invalid lines', async () => {
    const { account, find } = await open(user(1))
    const values = [user(1), user(2), user(3, { name: 'X' }), user(4)]
    const first = await world.import(account, values, { onConflict: 'skip' })
    expect(first).toMatchObject({ imported: 1, skipped: 2, conflicts: 1, stoppedAtLine: 3 })
    const again = await world.import(account, values, { onConflict: 'stop', onError: 'skip' })
    expect(again).toMatchObject({ imported: 0, skipped: 1, stoppedAtLine: 1 })
    const { account: other } = await open(user(4))
    const later = await world.import(other, values, { onConflict: 'stop', onError: 'skip' })
    expect(later).toMatchObject({ imported: 2, skipped: 2, conflicts: 1, stoppedAtLine: 4 })
    expect(later.errors.map(({ line }) => line)).toEqual([3, 4])
    expect(await find(2)).toBeDefined()
  })

  test('with update, users get the members of the record and keep the others', async () => {
    const { account, find, isExact } = await open(
      user(1, { roles: ['admin', 'x'], metadata: { plan: 'pro' }, is_active: false }),
      user(2, { id: idOf(2), roles: ['admin'] }),
      user(3),
    )
    const before = await find(1)
    const result = await world.import(
      account,
      [
        user(1, { name: 'Ada' }),
        user(7, {
          id: idOf(2),
          roles: ['y'],
          metadata: { a: 1 },
          created_at: '2020-01-01T00:00:00Z',
        }),
        user(3),
        user(8, { roles: ['admin'] }),
      ],
      { onConflict: 'update' },
    )
    expect(result).toMatchObject({ imported: 1, updated: 3, skipped: 0, withoutPassword: 1 })
    const after = await find(1)
    expect(after).toEqual({ ...before, name: 'Ada', updatedAt: expect.any(Date) })
    expect(after?.updatedAt).not.toEqual(before?.updatedAt)
    expect(await find(2)).toBeUndefined()
    expect(await find(7)).toMatchObject({
      id: idOf(2),
      roles: ['y'],
      metadata: { a: 1 },
      isActive: true,
      createdAt: new Date('2020-01-01'),
    })
    await isExact()
  })

  test('a record without changes keeps version, sessions and time', async () => {
    const { account, find } = await open(user(1, { password_hash: bcryptOfPassword }))
    const { clientele } = world
    const credentials = { email: 'user1@example.com', password: 'password' }
    await logIn(clientele, account, credentials)
    const { token } = await logIn(clientele, account, credentials)
    const id = (await find(1))?.id ?? ''
    const before = await clientele.users.find(account, id)
    const records = (await world.export(account, '--with-hashes')).trim().split('\n')
    const values = records.map((line) => JSON.parse(line))
    const result = await world.import(account, values, { onConflict: 'update' })
    expect(result).toMatchObject({ imported: 0, updated: 1 })
    expect(await clientele.users.find(account, id)).toEqual(before)
    await clientele.auth.validateToken(account, token)
  })

  test.each([
    ['another password', { password: 'another password' }],
    ['another hash', { password_hash: bcryptOfPassword.replace('04', '05') }],
    ['is_active false', { is_active: false }],
  ])('%s ends the sessions', async (_, more) => {
    const { account } = await open(
      user(1, { password: 'a password' }),
      user(2, { password: 'a password' }),
    )
    const { clientele } = world
    const signIn = (number: number) =>
      logIn(clientele, account, { email: `user${number}@example.com`, password: 'a password' })
    const [changed, kept] = [await signIn(1), await signIn(2)]
    await clientele.auth.forgotPassword(account, { email: 'user1@example.com' })
    const result = await world.import(account, [user(1, more), user(2, { roles: ['admin'] })], {
      onConflict: 'update',
    })
    expect(result).toMatchObject({ imported: 0, updated: 2 })
    expect(await codeOf(clientele.auth.validateToken(account, changed.token))).toMatch(
      /^token_(revoked|user_inactive)$/,
    )
    expect(await clientele.sessions.list(account, changed.user.id)).toEqual([])
    const { user: other } = await clientele.auth.validateToken(account, kept.token)
    expect(other.roles).toEqual(['admin'])
    expect(await codeOf(signIn(1))).toBe('credentials_invalid')
    const left = await runSql(
      world.database.url,
      `select purpose from clientele_email_tokens where account_id = '${account}'`,
    )
    expect(left).toEqual([])
  })

  test('no session of an old password survives simultaneous sign-ins', async () => {
    const numbers = Array.from({ length: 30 }, (_, number) => number)
    const { account, list } = await open(
      ...numbers.map((number) => user(number, { password: 'a password' })),
    )
    const { clientele } = world
    const signIns = numbers.flatMap((number) =>
      Array.from({ length: 4 }, async () => {
        const email = `user${number}@example.com`
        const credentials = { email, password: 'a password' }
        const failed = await codeOf(logIn(clientele, account, credentials))
        expect([undefined, 'credentials_invalid', 'rate_limited']).toContain(failed)
      }),
    )
    const values = numbers.map((number) => user(number, { password_hash: bcryptOfPassword }))
    await Promise.all([...signIns, world.import(account, values, { onConflict: 'update' })])
    for (const { id } of await list()) {
      expect(await clientele.sessions.list(account, id)).toEqual([])
    }
  })

  test('an address loses its verification when it changes, or when the record says so', async () => {
    const verified = '2020-01-03T00:00:00.000Z'
    const { account } = await open(
      ...[1, 2, 3, 4].map((number) => user(number, { id: idOf(number), email_verified: verified })),
    )
    const values = [
      user(5, { id: idOf(1) }),
      user(2, { email_verified: false }),
      user(3, { email_verified: true }),
      user(4),
      user(6, { id: idOf(6), email_verified: true }),
      user(6, { email_verified: verified }),
    ]
    await world.import(account, values, { onConflict: 'update' })
    const read = async (number: number) =>
      world.clientele.users.getEmailVerifiedAt(account, idOf(number))
    expect(await Promise.all([1, 2, 3, 4, 6].map(read))).toEqual([
      null,
      null,
      ...Array(3).fill(new Date(verified)),
    ])
  })

  test('several records of one user apply in order, also within a batch', async () => {
    const { account, list, isExact } = await open(user(1, { id: idOf(1), roles: ['admin'] }))
    const values = [
      // Gives its address up, which the next one takes; and takes another one that was given up.
      user(2, { id: idOf(1) }),
      user(1, { id: idOf(3), name: 'New' }),
      user(9, { id: idOf(1), roles: ['a'] }),
      user(2, { id: idOf(4), roles: ['admin', 'b'] }),
      user(1, { name: 'Newer', roles: ['admin'] }),
      user(5),
      user(5, { name: 'Fifth', password: 'a password' }),
    ]
    const result = await world.import(account, values, { onConflict: 'update' })
    expect(result).toMatchObject({ imported: 3, updated: 4, skipped: 0, errors: [] })
    expect((await list()).map(({ email, name, roles }) => [email, name, roles])).toEqual([
      ['user1@example.com', 'Newer', ['admin']],
      ['user2@example.com', 'User 2', ['admin', 'b']],
      ['user5@example.com', 'Fifth', []],
      ['user9@example.com', 'User 9', ['a']],
    ])
    await isExact()
    const { password } = { password: 'a password' }
    await logIn(world.clientele, account, { email: 'user5@example.com', password })
  })

  test('an id that a line names for a user with another leaves it to later lines', async () => {
    const { account, list } = await open(user(1), user(2))
    const values = [user(1, { id: idOf(5) }), user(2, { id: idOf(5) })]
    const before = await list()
    const outcome = { imported: 0, updated: 2, skipped: 0, stoppedAtLine: null }
    const dry = { onConflict: 'update', dryRun: true } as const
    expect(await world.import(account, values, dry)).toMatchObject(outcome)
    expect(await list()).toEqual(before)
    expect(await world.import(account, values, { onConflict: 'update' })).toMatchObject(outcome)
  })

  test('a record that matches two users is an error', async () => {
    const { account, list } = await open(user(1, { id: idOf(1) }), user(2, { id: idOf(2) }))
    const values = [user(3), user(2, { id: idOf(1) }), user(4)]
    const before = await list()
    const dry = { onConflict: 'update', dryRun: true } as const
    const stopped = { imported: 1, updated: 0, skipped: 1, stoppedAtLine: 2 }
    expect(await world.import(account, values, dry)).toMatchObject(stopped)
    expect(await list()).toEqual(before)
    const real = await world.import(account, values, { onConflict: 'update' })
    expect(real).toMatchObject({ ...stopped, errors: [{ line: 2, code: 'email_taken' }] })
    const rest = await world.import(account, values, { onConflict: 'update', onError: 'skip' })
    expect(rest).toMatchObject({ imported: 1, updated: 1, skipped: 1, stoppedAtLine: null })
    expect((await list()).map(({ email }) => email)).toEqual(
      [1, 2, 3, 4].map((number) => `user${number}@example.com`),
    )
  })

  test('a deleted user returns under the same id, repeatedly, and is counted once', async () => {
    const { account, list, isExact } = await open()
    const values = [user(1, { id: idOf(1), roles: ['admin'] })]
    for (const onConflict of ['update', 'stop', 'update', 'update', 'stop'] as const) {
      const result = await world.import(account, values, { onConflict })
      expect(result).toMatchObject({ imported: 1, updated: 0 })
      expect(await list()).toHaveLength(1)
      expect((await world.clientele.users.list(account)).total).toBe(1)
      await world.clientele.users.delete(account, idOf(1))
      expect((await world.clientele.users.list(account)).total).toBe(0)
    }
    await isExact()
  })

  test('concurrent updates, sign-ins and creates lose nothing', async () => {
    const count = 300
    const { account, isExact } = await open(
      ...Array.from({ length: count }, (_, number) =>
        user(number, { id: idOf(number), password_hash: bcryptOfPassword, roles: ['admin'] }),
      ),
    )
    const { clientele } = world
    const round = (name: string) =>
      Array.from({ length: 2 * count }, (_, number) =>
        user(number, { id: idOf(number), name, password: undefined, roles: [name] }),
      )
    const imports = ['first', 'second'].map((name) =>
      clientele.users.import(account, toRecords(round(name)), {
        fromWire: true,
        onConflict: 'update',
      }),
    )
    const others = Array.from({ length: 40 }, async (_, number) => {
      const email = `user${2 * count - 1 - number}@example.com`
      const input = { name: 'Live', email, password: 'a password' }
      await clientele.users.create(account, input).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'email_taken' })
      })
    })
    const results = await Promise.all(imports)
    await Promise.all(others)
    for (const result of results) {
      const { imported, updated, skipped } = result
      expect([imported + updated + skipped, result.errors]).toEqual([2 * count, []])
    }
    expect((await clientele.users.list(account)).total).toBe(2 * count)
    const names = new Set(
      (await world.export(account))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ name, roles }) => `${name} ${roles}`),
    )
    for (const name of names) expect(['first first', 'second second', 'Live ']).toContain(name)
    await isExact()
  })
})
