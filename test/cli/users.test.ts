import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'

const databases = eitherDatabase(import.meta.filename)

vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret for tests that is long enough'

describe.each(databases)('users on the command line, on $name', ({ open }) => {
  let database: OpenDatabase
  let folder: string
  let accountId: string
  beforeAll(async () => {
    database = await open()
    folder = await mkdtemp(join(tmpdir(), 'clientele-cli-users-'))
    const { account } = await runJson('account', 'create', '--name', 'Acme')
    accountId = account.id
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await database.close()
  })

  const environment = () => ({
    DATABASE_URL: database.url,
    CLIENTELE_SECRET: secret,
  })
  const run = (...args: string[]) => runCommand(args, environment())
  const runUser = (verb: string, ...args: string[]) =>
    run('user', verb, '--account', accountId, ...args)
  async function runJson(...args: string[]) {
    const { code, output, errors } = await run(...args, '--json')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    return JSON.parse(output)
  }
  const userJson = (verb: string, ...args: string[]) =>
    runJson('user', verb, '--account', accountId, ...args)

  async function passwordFile(password: string): Promise<string> {
    const file = join(folder, 'password')
    await writeFile(file, `${password}\n`)
    return file
  }
  let count = 0
  async function create(...more: string[]) {
    const email = `ada-${++count}@example.com`
    const password = `the password of ${count}`
    const file = await passwordFile(password)
    const person = ['--name', 'Ada Lovelace', '--email', email, '--password-file', file]
    const { user } = await userJson('create', ...person, ...more)
    return { user, email, password, id: ['--id', user.id] }
  }
  async function signIn(email: string, password: string): Promise<string | undefined> {
    const clientele = await openClientele(database.url, { secrets: [secret] })
    try {
      return await codeOf(clientele.auth.logIn(accountId, { email, password }))
    } finally {
      await clientele.close()
    }
  }

  test('a user is created, found and listed', async () => {
    const { user, email, password, id } = await create(
      ...['--role', 'admin', 'editor', '--metadata', '{"planName":"pro"}'],
    )
    expect(user).toMatchObject({ email, roles: ['admin', 'editor'], metadata: { planName: 'pro' } })
    expect(await signIn(email, password)).toBeUndefined()
    expect(await userJson('find', ...id)).toMatchObject({
      ...{ user, sessions: 1, email_verified_at: null, passkeys: 0 },
      second_factors: { totp: false, email: false, recovery_codes_left: 0 },
    })
    expect((await userJson('find', '--email', email.toUpperCase())).user).toEqual(user)
    const { output } = await runUser('find', ...id)
    expect(output).toMatch(/^metadata +\{"planName":"pro"\}$/m)
    expect(await userJson('list', '--search', 'lovelace', '--role', 'editor')).toEqual({
      ...{ users: [user], page: 1, limit: 20, total: 1 },
    })
    expect((await runUser('list', '--active')).output).toMatch(/^1 of 1 user, page 1$/m)
    expect((await runUser('list', '--deactivated')).output).toBe('none\n')
  })

  test('only what is given is changed', async () => {
    const { user, email, password, id } = await create('--role', 'admin')
    const { user: renamed } = await userJson('update', ...id, '--name', 'Ada King')
    expect(renamed).toEqual({ ...user, name: 'Ada King', updated_at: renamed.updated_at })
    expect((await userJson('update', ...id, '--no-roles')).user.roles).toEqual([])
    await userJson('update', ...id, '--password-file', await passwordFile('another password'))
    expect(await signIn(email, password)).toBe('credentials_invalid')
    expect(await signIn(email, 'another password')).toBeUndefined()
  })

  test('a user is deactivated, activated and deleted', async () => {
    const { email, password, id } = await create()
    expect((await userJson('deactivate', ...id)).user.is_active).toBe(false)
    expect(await signIn(email, password)).toBe('credentials_invalid')
    expect((await userJson('activate', ...id)).user.is_active).toBe(true)
    const kept = await runUser('delete', ...id)
    expect([kept.code, kept.errors]).toEqual([2, expect.stringContaining('Add --yes to confirm.')])
    expect(await userJson('delete', ...id, '--yes')).toEqual({ id: id[1], deleted: true })
    expect((await runUser('find', ...id)).errors).toMatch(/^error user_not_found/)
  })

  test('a new random password takes the place of the old one', async () => {
    const { email, password, id } = await create()
    const { user_id, password: next } = await userJson('reset', ...id)
    expect([user_id, next]).toEqual([id[1], expect.stringMatching(/^[\w-]{20}$/)])
    expect(await signIn(email, password)).toBe('credentials_invalid')
    expect(await signIn(email, next)).toBeUndefined()
    expect((await userJson('reset', ...id)).password).not.toBe(next)
    expect((await runUser('reset', ...id)).output).toMatch(/^Password: [\w-]{20}$/m)
  })

  test('it is as long as the account asks for', async () => {
    const { id } = await create()
    const policy = ['account', 'policy', '--account', accountId]
    await runJson(...policy, '--min-password-length', '30')
    const { password } = await userJson('reset', ...id)
    await runJson(...policy, '--no-min-password-length')
    expect(password).toMatch(/^[\w-]{30}$/)
  })

  test('second factors are removed, and a user without any is named', async () => {
    const { user, email, password, id } = await create()
    const clientele = await openClientele(database.url, { secrets: [secret] })
    try {
      const { secret: shared } = await clientele.mfa.enrolTotp(accountId, user.id)
      const code = new TOTP({ secret: Secret.fromBase32(shared) }).generate()
      await clientele.mfa.confirmTotp(accountId, user.id, { code })
      const challenged = await clientele.auth.logIn(accountId, { email, password })
      expect(challenged).toHaveProperty('challenge')
      const remove = ['user', 'two-factor', 'remove', '--account', accountId, ...id]
      expect(await runJson(...remove)).toEqual({ user_id: user.id, removed: true })
      expect(await clientele.auth.logIn(accountId, { email, password })).toHaveProperty('token')
      const again = await run(...remove)
      expect([again.code, again.output]).toEqual([0, expect.stringMatching(/^Nothing to remove: /)])
    } finally {
      await clientele.close()
    }
  })

  test("a user's own token is made, listed and revoked", async () => {
    const { id } = await create()
    const token = ['--name', 'deploy', '--scope', 'deploy', 'read', '--expires', '90d']
    const created = await runJson(
      'user',
      'token',
      'create',
      '--account',
      accountId,
      ...id,
      ...token,
    )
    expect(created.token).toMatch(/^cut_live_\w{71}$/)
    expect(created.scopes).toEqual(['deploy', 'read'])
    const listed = await runJson('user', 'token', 'list', '--account', accountId, ...id)
    const { token: _, ...known } = created
    expect(listed.tokens).toEqual([known])
    const revoke = ['user', 'token', 'revoke', '--account', accountId, ...id, '--token', created.id]
    expect(await runJson(...revoke)).toEqual({ id: created.id, revoked: true })
    expect((await run(...revoke)).errors).toMatch(/^error user_token_not_found/)
  })

  test('with --json an error is a document, too', async () => {
    const failing = await runUser('find', '--email', 'no@example.com', '--json')
    expect([failing.code, failing.output, JSON.parse(failing.errors)]).toEqual([
      1,
      '',
      { error: { code: 'user_not_found', message: expect.any(String), hint: expect.any(String) } },
    ])
    const invalid = await runUser('find', '--email', 'none', '--json')
    expect([invalid.code, JSON.parse(invalid.errors).error.issues]).toEqual([
      2,
      [expect.objectContaining({ pointer: '/email', code: 'format' })],
    ])
    const group = await run('user', '--json')
    expect([group.code, JSON.parse(group.errors).error]).toEqual([
      2,
      {
        code: 'usage',
        message: expect.stringMatching(/^Name a command: create, invite, list, find,/),
      },
    ])
    for (const wrong of [['--nmae', 'x'], ['--id', 'x'], []]) {
      const { code, errors } = await runUser('find', ...wrong, '--json')
      expect([code, JSON.parse(errors)]).toEqual([
        2,
        { error: { code: 'usage', message: expect.any(String) } },
      ])
    }
  })

  test.each([
    [['find'], /Give --id or --email/],
    [['list', '--limit', '101'], /Give a number from 1 to 100/],
    [['update', '--id', '019dfae2-6a4d-7000-8000-000000000000'], /Nothing to change/],
    [['create', '--nmae', 'Ada'], /unknown option '--nmae'\n.*Did you mean --name/s],
    [
      ['create', '--name', 'Ada', '--email', 'a@example.com'],
      /--password-file <path>' not specified/,
    ],
    [
      ['update', '--id', '019dfae2-6a4d-7000-8000-000000000000', '--metadata', '[1]'],
      /a JSON object/,
    ],
  ])('%j is refused, and says how to write it', async (args, expected) => {
    const [verb = '', ...rest] = args
    const { code, errors } = await runUser(verb, ...rest)
    expect([code, errors]).toEqual([2, expect.stringMatching(expected)])
  })
})
