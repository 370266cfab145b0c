import { type ClienteleHooks, HookRefusal, type ImportOptions } from '@clientele/core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const onlyExample = ({ email }: { email: string }) => {
  if (!email.endsWith('@example.com')) throw new HookRefusal('Only example.com.')
}
/** Neither half of it is refused, only both together. */
const noForeignAdmins = (user: { email: string; roles: string[] }) => {
  if (user.roles.includes('admin')) onlyExample(user)
}

describe.each(databases)('hooks of imports, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function start(hooks: ClienteleHooks) {
    const { clientele: free } = await world.start()
    const { accountId, user } = await world.addUser(free)
    const { clientele } = await world.start({ hooks })
    const run = (values: object[], options: ImportOptions = {}) => {
      const records = values.map((value, index) => ({ line: index + 1, value }))
      return clientele.users.import(accountId, records, options)
    }
    const emails = async () => {
      const { data } = await free.users.list(accountId, { limit: 100 })
      return data.map(({ email }) => email).filter((email) => email !== user.email)
    }
    const find = async (email: string) =>
      (await free.users.list(accountId, { email })).data.map(({ name, roles }) => [name, roles])
    return { free, clientele, accountId, user, run, emails, find }
  }
  const named = (email: string, more: object = {}) => ({ name: 'Grace', email, ...more })

  test('are asked about each new user, and refuse lines by their words', async () => {
    const told: unknown[] = []
    const beforeCreate: ClienteleHooks['beforeCreate'] = (user, { origin, actor }) => {
      told.push([user.email, origin, actor.type])
      onlyExample(user)
    }
    const { clientele, accountId, emails } = await start({ beforeCreate })
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const all = ['a@example.com', 'b@example.org', 'c@example.com', 'd@example.org']
    const body = all.map((email) => JSON.stringify(named(email))).join('\n')
    const ask = (query: string) => {
      const path = `/client/user/import?${query}`
      return send(clientele, 'POST', path, { key, body, type: 'application/x-ndjson' })
    }
    const code = 'refused_by_hook'
    const message = 'Only example.com.'
    const errors = [2, 4].map((line) => ({ line, code, message }))
    const rehearsed = await ask('on_error=skip&dry_run=true')
    expect(rehearsed).toMatchObject({ body: { imported: 2, skipped: 2, errors } })
    expect(await emails()).toEqual([])
    const imported = await ask('on_error=skip')
    expect(imported).toMatchObject({ status: 200, body: { imported: 2, skipped: 2, errors } })
    expect(await emails()).toEqual(['a@example.com', 'c@example.com'])
    const asked = all.map((email) => [email, 'import', 'api_key'])
    expect(told).toEqual([...asked, ...asked])
  })

  test('end an import that stops at an error, after the lines before it', async () => {
    const { run, emails } = await start({ beforeCreate: onlyExample })
    const result = await run([
      named('a@example.com'),
      named('b@example.org'),
      named('c@example.com'),
    ])
    expect(result).toMatchObject({ imported: 1, skipped: 1, stoppedAtLine: 2 })
    expect(await emails()).toEqual(['a@example.com'])
  })

  test('are asked about each change, with the user before it, and not about what stays', async () => {
    const told: unknown[] = []
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = (user, { before, changed }) => {
      told.push([before.name, user.name, user.roles, changed])
      noForeignAdmins(user)
    }
    const { free, accountId, run, find } = await start({ beforeUpdate })
    await free.users.create(accountId, { ...named('g@example.org'), password: 'password' })
    const update = { onConflict: 'update', onError: 'skip' } as const
    expect(await run([named('g@example.org')], update)).toMatchObject({ updated: 1, errors: [] })
    expect(told).toEqual([])
    const lines = [
      named('g@example.org', { name: 'Grace Hopper' }),
      named('g@example.org', { roles: ['admin'] }),
      named('g@example.org', { isActive: false }),
    ]
    expect(await run(lines, update)).toMatchObject({ updated: 2, errors: [{ line: 2 }] })
    expect(told).toEqual([
      ['Grace', 'Grace Hopper', [], ['name']],
      // After the line before it
      ['Grace Hopper', 'Grace', ['admin'], ['name', 'roles']],
      ['Grace Hopper', 'Grace', [], ['name', 'isActive']],
    ])
    expect(await find('g@example.org')).toEqual([['Grace', []]])
  })

  test('are asked whether an address is verified, and about a hash, where that changes', async () => {
    const told: unknown[] = []
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = (_user, { changed }) => {
      told.push(changed)
      throw new HookRefusal('It stays.')
    }
    const { free, accountId, run } = await start({ beforeUpdate })
    const passwordHash = '$2b$04$abcdefghijklmnopqrstuuFkYq7tFYNLbFSqgl8g1lFpjAv6FCRmu'
    const [, other] = [passwordHash, passwordHash.replace('abc', 'abd')]
    const records = [{ line: 1, value: named('v@example.com', { passwordHash }) }]
    await free.users.import(accountId, records)
    const { data } = await free.users.list(accountId, { email: 'v@example.com' })
    const lines = [
      named('v@example.com', { emailVerified: false, passwordHash }),
      named('v@example.com', { emailVerified: true }),
      named('v@example.com', { emailVerified: true, isActive: false }),
      named('v@example.com', { passwordHash: other }),
    ]
    const result = await run(lines, { onConflict: 'update', onError: 'skip' })
    expect(result.errors.map(({ line }) => line)).toEqual([2, 3, 4])
    expect(told).toEqual([['emailVerified'], ['isActive', 'emailVerified'], ['password']])
    expect(await free.users.getEmailVerifiedAt(accountId, data[0]?.id ?? '')).toBe(null)
  })

  test('are asked whether the time of the last change is set, which is an event', async () => {
    const told: unknown[] = []
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = (_user, { changed }) => {
      told.push(changed)
    }
    const { free, accountId, run, user } = await start({ beforeUpdate })
    const updatedAt = new Date('2001-01-01T00:00:00Z')
    const update = { onConflict: 'update' } as const
    await run(
      [
        { ...user, updatedAt },
        { ...user, updatedAt, name: 'Ada King' },
      ],
      update,
    )
    expect(told).toEqual([['updatedAt'], ['name']])
    const { data } = await free.events.read(accountId, { types: ['user.updated'] })
    expect(data.map((event) => 'changed' in event.data && event.data.changed)).toEqual([
      ['updatedAt'],
      ['name'],
    ])
  })

  test('are asked again where an address is verified, or a password set, while they answer', async () => {
    const told: unknown[] = []
    let race = async (): Promise<void> => {}
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = async (_user, { changed }) => {
      told.push(changed)
      if (told.length > 1) throw new HookRefusal('It stays.')
      await race()
    }
    const { free, accountId, run, user } = await start({ beforeUpdate })
    race = async () => {
      const verified = { line: 1, value: { ...user, emailVerified: true } }
      await free.users.import(accountId, [verified], { onConflict: 'update' })
    }
    // Only the name is asked about first: nobody has verified the address.
    const renamed = { ...user, name: 'Grace Hopper', emailVerified: false }
    const result = await run([renamed], { onConflict: 'update', onError: 'skip' })
    expect(told).toEqual([['name'], ['name', 'emailVerified']])
    expect(result).toMatchObject({ updated: 0, errors: [{ line: 1, code: 'refused_by_hook' }] })
  })

  test('see what earlier lines make of a user, also where these name the user otherwise', async () => {
    const { free, accountId, run, find } = await start({ beforeUpdate: noForeignAdmins })
    const password = 'password'
    const { user } = await free.users.create(accountId, { ...named('h@example.com'), password })
    const lines = [
      named('h@example.org', { id: user.id }),
      named('h@example.org', { roles: ['admin'] }),
      named('i@example.com'),
      named('i@example.com', { roles: ['admin'] }),
    ]
    const result = await run(lines, { onConflict: 'update', onError: 'skip' })
    expect(result).toMatchObject({ imported: 1, updated: 2, errors: [{ line: 2 }] })
    expect(await find('h@example.org')).toEqual([['Grace', []]])
    expect(await find('i@example.com')).toEqual([['Grace', ['admin']]])
  })

  test('are asked again about a user who changes while they answer', async () => {
    const told: string[] = []
    const race = async (): Promise<void> => {
      await free.users.patch(accountId, user.id, { email: 'j@example.org' })
    }
    const hooks: ClienteleHooks = {
      beforeUpdate: async (changed) => {
        told.push(changed.email)
        noForeignAdmins(changed)
        if (told.length === 1) await race()
      },
      beforeCreate: async (made) => {
        told.push(made.email)
        if (made.email !== 'k@example.com') return
        await free.users.create(accountId, { ...named(made.email), password: 'password' })
      },
    }
    const { free, accountId, run, find } = await start(hooks)
    const made = { ...named('j@example.com'), password: 'password' }
    const { user } = await free.users.create(accountId, made)
    const update = { onConflict: 'update', onError: 'skip' } as const
    // By the id alone: the record keeps no address of its own that the change has taken away.
    const byId = { id: user.id, name: 'Grace', email: 'j@example.com', roles: ['admin'] }
    expect(await run([byId], update)).toMatchObject({ updated: 1, errors: [] })
    expect(told).toEqual(['j@example.com', 'j@example.com'])
    expect(await find('j@example.com')).toEqual([['Grace', ['admin']]])

    const late = await run([named('k@example.com', { name: 'Not Grace' })], { onConflict: 'skip' })
    expect(late).toMatchObject({ imported: 0, skipped: 1 })
    expect(await find('k@example.com')).toEqual([['Grace', []]])
  })

  test('that are not asked about a user who is there let nobody in who replaces them', async () => {
    const { free, accountId, user, clientele } = await start({
      beforeCreate: async ({ email }) => {
        // While a line before is asked about
        if (email === 'l@example.com') await free.users.delete(accountId, user.id)
        else onlyExample({ email: '' })
      },
    })
    const records = ['l@example.com', user.email].map((email, index) => ({
      line: index + 1,
      value: named(email),
    }))
    const options = { onConflict: 'skip', onError: 'skip' } as const
    const result = await clientele.users.import(accountId, records, options)
    expect(result).toMatchObject({ imported: 1, conflicts: 1, skipped: 1 })
    expect((await free.users.list(accountId)).data).toMatchObject([{ email: 'l@example.com' }])
  })

  test('that are slow let nobody write on whose API key is revoked meanwhile', async () => {
    const realNow = performance.now.bind(performance)
    let passed = 0
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
    const { free, clientele, accountId, emails } = await start({
      beforeCreate: async () => {
        await free.apiKeys.revoke(accountId, id)
        passed += 11_000
      },
    })
    const { apiKey: key, id } = await clientele.apiKeys.create(accountId)
    const body = JSON.stringify(named('m@example.com'))
    const path = '/client/user/import'
    const answer = await send(clientele, 'POST', path, { key, body, type: 'application/x-ndjson' })
    expect(answer).toMatchObject({ status: 401, body: { code: 'api_key_invalid' } })
    expect(await emails()).toEqual([])
  })

  test('end an import when they fail, and nothing more is stored', async () => {
    let asked = 0
    const { free, accountId, run } = await start({
      beforeCreate: () => {
        if (++asked > 200) throw new Error('The hook is broken.')
      },
    })
    const lines = Array.from({ length: 300 }, (_, index) => named(`n${index}@example.com`))
    expect(await codeOf(run(lines))).toBe('hook_unavailable')
    const { total } = await free.users.list(accountId)
    // Batches before it are stored whole: Ada was there before.
    expect(total).toBeGreaterThan(1)
    expect(total).toBeLessThan(200)
  })
})
