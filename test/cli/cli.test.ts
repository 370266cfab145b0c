import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

// Some commands are processes, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(anyDatabase)('$name', ({ name, openEmpty }) => {
  let database: OpenDatabase
  let accountId = ''
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  const environment = () => ({
    DATABASE_URL: database.url,
    CLIENTELE_SECRET: 'a secret for tests that is long enough',
  })
  function run(...args: string[]) {
    return runCommand(args, environment())
  }
  async function runJson(...args: string[]) {
    const { code, output, errors } = await run(...args, '--json')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    return JSON.parse(output)
  }

  test('migrate prints the applied migrations and a new file; a second run applies none', async () => {
    const { code, output, errors } = await run('migrate', '--json')
    const file = database.url.replace(/^sqlite:/, '')
    expect({ code, errors }).toEqual({
      code: 0,
      errors: name === 'sqlite' ? `A new database: ${file}\n` : '',
    })
    expect(JSON.parse(output).applied).toContain('0001-initial')
    expect(await runJson('migrate')).toEqual({ applied: [] })
  })

  test('account create prints the account and its first key', async () => {
    const { account, api_key } = await runJson('account', 'create', '--name', 'Acme')
    expect(account).toMatchObject({ id: expect.any(String), name: 'Acme' })
    expect(api_key).toMatch(/^cu_live_[0-9A-Za-z]{71}$/)
    accountId = account.id
    expect(await runJson('account', 'list')).toEqual({ accounts: [account] })
    expect((await run('account', 'list')).output).toContain(accountId)
    const recounted = await runJson('account', 'recount', '--account', accountId)
    expect(recounted).toEqual({ account_id: accountId, total: 0 })
  })

  test('the process of a command ends on its own, with its exit code', async () => {
    const listing = startProcess(cliScript, ['account', 'list', '--json'], environment())
    expect(await listing.ended).toBe(0)
    expect(JSON.parse(listing.output()).accounts).toMatchObject([{ id: accountId }])
    const none = ['key', 'list', '--account', '019dfae2-6a4d-7000-8000-000000000000']
    const failing = startProcess(cliScript, none, environment())
    expect(await failing.ended).toBe(1)
    expect(failing.errors()).toMatch(/^error account_not_found/)
  })

  test('a terminal that reports a width of 0 gets a normal table', async () => {
    const running = startProcess(cliScript, ['account', 'list'], {
      DATABASE_URL: database.url,
      NODE_OPTIONS: '--import=data:text/javascript,process.stdout.columns=0',
    })
    expect(await running.ended).toBe(0)
    expect(running.output()).toContain(accountId)
  })

  test('an account has a slug, an external id and metadata, and is found by them', async () => {
    const names = ['--slug', 'initech', '--external-id', 'cust 17']
    const metadata = ['--metadata', 'plan=pro', 'note=a=b']
    const made = ['account', 'create', '--name', 'Initech', ...names, ...metadata]
    const { account } = await runJson(...made)
    expect(account).toMatchObject({
      slug: 'initech',
      external_id: 'cust 17',
      metadata: { plan: 'pro', note: 'a=b' },
    })
    const at = ['--account', account.id]
    for (const by of [at, names.slice(0, 2), names.slice(2)])
      expect(await runJson('account', 'find', ...by)).toEqual({ account })
    const found = await run('account', 'find', '--slug', 'initech')
    expect(found.output).toMatch(/slug +initech\nexternal id +cust 17\n/)
    expect((await run('account', 'list')).output).toMatch(/slug +initech/)
    const again = await run('account', 'create', '--name', 'Other', '--slug', 'initech')
    expect([again.code, again.errors]).toEqual([1, expect.stringMatching(/^error slug_taken: /)])
    expect(
      await runJson('account', 'update', ...at, '--slug', 'ini-tech', '--no-metadata'),
    ).toEqual({ account: { ...account, slug: 'ini-tech', metadata: {} } })
    const without = ['account', 'update', ...at, '--no-slug', '--no-external-id', '--name', 'Ini']
    expect(await runJson(...without)).toEqual({
      account: { ...account, name: 'Ini', slug: null, external_id: null, metadata: {} },
    })
    const refused = [
      ['account', 'update', ...at],
      ['account', 'update', ...at, '--metadata', 'plan'],
      ['account', 'update', ...at, '--metadata', 'plan=a', 'plan=b'],
      ['account', 'find'],
      ['account', 'find', ...at, '--slug', 'x'],
    ]
    for (const { code } of await Promise.all(refused.map((each) => run(...each))))
      expect(code).toBe(2)
    const unknown = [['--slug', 'initech'], ['--slug', 'Not one'], names.slice(2)]
    const answers = unknown.map((by) => run('account', 'find', ...by))
    for (const { errors } of await Promise.all(answers))
      expect(errors).toMatch(/^error account_not_found/)
    const wrong = await run('account', 'update', ...at, '--slug', 'Ini_tech')
    expect(wrong.errors).toMatch(/^error validation_failed: .*\n +--slug must have /)
    await runJson('account', 'delete', ...at, '--yes')
  })

  test('an account is renamed, disabled, enabled and deleted', async () => {
    const { account, api_key } = await runJson('account', 'create', '--name', 'Gone')
    const at = ['--account', account.id]
    const renamed = { ...account, name: 'Globex' }
    expect(await runJson('account', 'rename', ...at, '--name', 'Globex')).toEqual({
      account: renamed,
    })
    const { account: disabled } = await runJson('account', 'disable', ...at)
    expect(disabled).toEqual({ ...renamed, disabled_at: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(await runJson('account', 'disable', ...at)).toEqual({ account: disabled })
    expect((await run('account', 'list')).output).toMatch(/Globex +disabled/)
    expect(await runJson('account', 'enable', ...at)).toEqual({ account: renamed })
    const asked = await run('account', 'delete', ...at, '--json')
    expect({ code: asked.code, output: asked.output }).toEqual({ code: 2, output: '' })
    expect(asked.errors).toContain(`deletes the account ${account.id} (Globex) and its 0 users`)
    expect((await runJson('key', 'list', ...at)).keys).toHaveLength(1)
    const deleted = { id: account.id, deleted: true }
    expect(await runJson('account', 'delete', ...at, '--yes')).toEqual(deleted)
    const commands = [
      ['key', 'list', ...at],
      ['account', 'delete', ...at],
      ['account', 'delete', ...at, '--yes'],
      ['account', 'rename', ...at, '--name', 'Again'],
      ['account', 'disable', ...at],
      ['account', 'enable', ...at],
    ]
    for (const { code, errors } of await Promise.all(commands.map((each) => run(...each)))) {
      expect(code).toBe(1)
      expect(errors).toMatch(/^error account_not_found/)
      expect(errors).not.toContain(api_key)
    }
  })

  test('a key is made, listed, rotated and revoked', async () => {
    const at = ['--account', accountId]
    const longName = 'backend '.repeat(12).trim()
    const limits = ['--scope', 'users:read', '--expires', '90d']
    const made = await runJson('key', 'create', ...at, '--name', longName, ...limits)
    expect(made).toEqual({ id: expect.any(String), api_key: expect.stringMatching(/^cu_live_/) })
    const { keys } = await runJson('key', 'list', ...at)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toMatchObject({ id: made.id, name: longName, scopes: ['users:read'] })
    const days = (Date.parse(keys[1].expires_at) - Date.parse(keys[1].created_at)) / 86_400_000
    expect(days).toBeCloseTo(90, 2)
    expect(JSON.stringify(keys)).not.toContain(made.api_key)
    const listed = (await run('key', 'list', ...at)).output
    expect(listed).toContain(made.id)
    expect(listed).toMatch(/scopes +users:read\n/)
    expect(listed.split('\n').filter((line) => line.length > 80)).toEqual([])
    const key = ['--key', made.id]
    expect((await runJson('key', 'rotate', ...at, ...key, '--overlap', '60')).id).not.toBe(made.id)
    expect(await runJson('key', 'revoke', ...at, ...key)).toEqual({ id: made.id, revoked: true })
  })

  test('signing keys are rotated, and never show their private parts', async () => {
    const ofAccount = ['--account', accountId]
    await runJson('signing-key', 'rotate', ...ofAccount)
    const { keys } = await runJson('signing-key', 'rotate', ...ofAccount, '--now')
    expect(keys.filter((key: { status: string }) => key.status === 'active')).toHaveLength(1)
    expect(JSON.stringify(keys)).not.toMatch(/"d":/)
    expect(await runJson('signing-key', 'list', ...ofAccount)).toEqual({ keys })
    const { id } = keys.at(-1)
    const retire = ['signing-key', 'retire', ...ofAccount, '--key']
    expect(await runJson(...retire, id)).toEqual({ id, retired: true })
    const { keys: left } = await runJson('signing-key', 'list', ...ofAccount)
    expect(left.map((key: { status: string }) => key.status)).toEqual(['retired', 'retired'])
    const none = await run(...retire, 'none')
    expect(none.code).toBe(1)
    expect(none.errors).toMatch(/^error signing_key_not_found: /)
  })

  test('a failed command prints its code and a hint, and nothing on standard output', async () => {
    const none = ['--account', '019dfae2-6a4d-7000-8000-000000000000']
    for (const command of ['list', 'create']) {
      const { code, output, errors } = await run('key', command, ...none)
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toMatch(/^error account_not_found: .*\nhint: .*account list/)
    }
  })

  test('a secret that the server refuses is refused by commands too, by its variable', async () => {
    const short = { ...environment(), CLIENTELE_SECRET: 'hunter2' }
    const { code, errors } = await runCommand(['account', 'create', '--name', 'Other'], short)
    expect(code).toBe(1)
    expect(errors).toMatch(
      /^error configuration_invalid: CLIENTELE_SECRET must have at least 16 characters, /,
    )
    expect(errors).not.toContain('hunter2')
  })

  test('another secret is refused by commands that need the secret', async () => {
    const repository = await openRepository(database.url)
    const secrets = ['a secret for tests that is long enough']
    const clientele = await createClientele({ repository, secrets })
    await clientele.trustedIssuers.create(accountId, {
      issuer: 'https://issuer.example',
      audience: 'app',
      algorithms: ['HS256'],
      sharedSecret: 'x'.repeat(64),
    })
    await clientele.close()
    const elsewhere = {
      ...environment(),
      CLIENTELE_SECRET: 'quite another secret that is long enough',
    }
    const keys = await runCommand(['signing-key', 'rotate', '--all'], elsewhere)
    expect(keys.code).toBe(1)
    expect(keys.errors).toMatch(/^error secret_wrong/)
    for (const list of [
      ['account', 'list'],
      ['signing-key', 'list', '--account', accountId],
    ]) {
      expect((await runCommand(list, elsewhere)).code).toBe(0)
    }
  })
})

test('--version prints the version and nothing else', async () => {
  const manifest = await readFile(join(cliScript, '../../package.json'), 'utf8')
  const running = startProcess(cliScript, ['--version'], {})
  expect(await running.ended).toBe(0)
  expect(running.output()).toBe(`${JSON.parse(manifest).version}\n`)
  expect(running.errors()).toBe('')
})

describe('compiled code', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-cli-'))
    const from = join(cliScript, '../..')
    for (const part of ['package.json', 'dist']) {
      await cp(join(from, part), join(folder, 'cli', part), { recursive: true })
    }
    await symlink(join(from, '..'), join(folder, 'node_modules'))
    return () => rm(folder, { recursive: true })
  })
  async function runVersion(): Promise<void> {
    const script = join(folder, 'cli/dist/clientele.js')
    const running = startProcess(script, ['--version'], { NODE_COMPILE_CACHE: '', TMPDIR: folder })
    expect(await running.ended).toBe(0)
    expect(running.output()).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(running.errors()).toBe('')
  }

  test('is cached beside the program only', async () => {
    await mkdir(join(folder, 'cli/node_modules'))
    await runVersion()
    expect(await readdir(join(folder, 'cli/node_modules'))).toEqual(['.cache'])
    const kept = await readdir(join(folder, 'cli/node_modules/.cache/compiled'))
    expect(kept).toHaveLength(1)
    expect((await readdir(folder)).sort()).toEqual(['cli', 'node_modules'])
  })

  test('is not cached if the folder is read-only, without a message', async () => {
    await writeFile(join(folder, 'cli/node_modules'), 'no folder')
    await runVersion()
    expect((await readdir(folder)).sort()).toEqual(['cli', 'node_modules'])
  })
})

test('help and wrong usage load neither the core nor a driver', async () => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { console.error(url); return next(url, context) } })`
  for (const args of [['--help'], ['user', 'import', '--help'], ['key', 'list']]) {
    const loading = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, cliScript]
    const ended = promisify(execFile)(process.execPath, [...loading, ...args])
    const { stderr } = await ended.catch((error: { stderr: string }) => error)
    const files = stderr.match(/^file:.*$/gm) ?? []
    expect(files.length).toBeGreaterThan(1)
    const owners = files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
    expect(new Set(owners)).toEqual(new Set(['clientele', '@clientele/core', 'commander']))
    // Of the core no more than what looks at the version of Node and at the database's URL.
    const entries = files.flatMap((file) => /core\/dist\/(?!chunk-)(.+)$/.exec(file)?.[1] ?? [])
    expect(['node-version.js', 'database-url.js']).toEqual(expect.arrayContaining(entries))
  }
})

test.each([
  [['serve', 'twice']],
  [['unknown']],
  [['account', 'create']],
  [['account', 'create', '--name', '']],
  [['key', 'create', '--account', 'x', '--scope', 'everything']],
  [['key', 'create', '--account', 'x', '--expires', 'soon']],
  [['key', 'list', '--account', 'not an id']],
])('wrong usage %j exits with code 2', async (args) => {
  const { code, output, errors } = await runCommand(args, { DATABASE_URL: 'sqlite::memory:' })
  expect({ code, output }).toEqual({ code: 2, output: '' })
  expect(errors).not.toBe('')
})

test('a misspelt option is reported with the nearest option, not with the missing one', async () => {
  for (const [args, text] of [
    [['account', 'create', '--nmae', 'Acme'], "unknown option '--nmae'\n(Did you mean --name?)"],
    [
      ['account', 'rename', '--acount', 'x'],
      "unknown option '--acount'\n(Did you mean --account?)",
    ],
    [['account', 'create'], "required option '--name <name>' not specified"],
    [['key', 'create', '--scope', 'users:wirte'], 'Did you mean users:write?'],
  ] as const) {
    const { code, errors } = await runCommand(args, {})
    expect(code).toBe(2)
    expect(errors).toContain(text)
  }
})

test('a missing file and an invalid id are named, without a hint', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-cli-'))
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'users.sqlite')}` }
  const id = '019dfae2-6a4d-7000-8000-000000000000'
  expect((await runCommand(['migrate'], environment)).code).toBe(0)
  const noFile = ['user', 'import', '--file', join(folder, 'nope'), '--account', id]
  const importing = await runCommand(noFile, environment)
  expect(importing.code).toBe(1)
  expect(importing.errors).toMatch(/^error .*There is no file /)
  expect(importing.errors).not.toContain('hint')
  const listing = await runCommand(['key', 'list', '--account', 'x'], environment)
  expect(listing.code).toBe(2)
  expect(listing.errors).toContain(
    'The id must be a UUID. clientele account list shows the ids of accounts.',
  )
  await rm(folder, { recursive: true })
})

test.each(['import', 'export'])(
  'user %s: an empty path is reported, and no file is opened',
  async (command) => {
    const id = '019dfae2-6a4d-7000-8000-000000000000'
    const environment = { DATABASE_URL: 'sqlite:/nowhere/users.sqlite' }
    for (const path of ['', '  ']) {
      const args = ['user', command, '--file', path, '--account', id]
      const { code, errors } = await runCommand(args, environment)
      expect(code).toBe(2)
      expect(errors).toContain('Name a file: the path is empty.')
    }
  },
)

test('an invalid URL is not repeated', async () => {
  const environment = { DATABASE_URL: 'mysql://root:hunter2@localhost/db' }
  for (const more of [[], ['--json']]) {
    const { code, output, errors } = await runCommand(['account', 'list', ...more], environment)
    expect(code).toBe(1)
    expect(errors).toMatch(/^(error |\{\s*"error": \{\s*"code": ")configuration_invalid/)
    expect(errors + output).not.toContain('hunter2')
  }
})
