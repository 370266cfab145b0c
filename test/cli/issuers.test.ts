import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { ecJwk, serveKeys } from '../support/issuer-world.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(databases)('clientele issuer, on $name', ({ openEmpty }) => {
  let database: OpenDatabase
  let directory = ''
  let account: string[] = []
  beforeAll(async () => {
    database = await openEmpty()
    directory = await mkdtemp(join(tmpdir(), 'clientele-issuers-'))
    const { account: made } = await runJson('account', 'create', '--name', 'Acme')
    account = ['--account', made.id]
  })
  afterAll(async () => {
    await database.close()
    await rm(directory, { recursive: true })
  })

  async function run(args: readonly string[], environment: Record<string, string> = {}) {
    const running = startProcess(cliScript, args, {
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret for tests that is long enough',
      ALLOW_PRIVATE_ADDRESSES: 'true',
      ...environment,
    })
    const code = await running.ended
    return { code, output: running.output(), errors: running.errors() }
  }
  async function runJson(...args: string[]) {
    const { code, output, errors } = await run([...args, '--json'])
    const said = errors.replace(/^A new database: .*\n/, '')
    expect({ code, errors: said }).toEqual({ code: 0, errors: '' })
    return JSON.parse(output)
  }
  async function write(name: string, text: string): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, text)
    return path
  }
  const named = (issuer: string) => ['--issuer', issuer, '--audience', 'api']

  test('an issuer is created with every setting, listed, changed and deleted', async () => {
    const { url } = await serveKeys(ecJwk)
    const { issuer } = await runJson(
      ...['issuer', 'create', ...account, '--issuer', 'https://login.example.com'],
      ...['--audience', 'web', 'app', '--algorithm', 'ES256', 'Ed25519', '--jwks-url', url],
      ...['--user-claim', 'preferred_username', '--user-lookup', 'email', '--allow-client-id'],
      ...['--sign-in', '--link-by-email', '--nonce', 'sha256', '--max-age', '600'],
      ...['--max-lifetime', '3600', '--trust-unverified-email'],
    )
    expect(issuer).toEqual({
      id: expect.any(String),
      issuer: 'https://login.example.com',
      audience: ['web', 'app'],
      client_id_as_audience: true,
      algorithms: ['ES256', 'Ed25519'],
      user_claim: 'preferred_username',
      user_lookup: 'email',
      key_source: 'jwks_url',
      public_keys: null,
      jwks_url: url,
      max_lifetime_seconds: 3600,
      trust_unverified_email: true,
      sign_in: true,
      link_by_email: true,
      nonce: 'sha256',
      max_age_seconds: 600,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect(await runJson('issuer', 'list', ...account)).toEqual({ issuers: [issuer] })
    const { output } = await run(['issuer', 'list', ...account])
    for (const part of [issuer.id, 'web app', url, 'preferred_username (email)', 'nonce sha256'])
      expect(output).toContain(part)
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([])

    const one = ['issuer', 'update', ...account, '--id', issuer.id]
    const updated_at = expect.any(String)
    const { issuer: aged } = await runJson(...one, '--no-max-age', '--no-link-by-email')
    expect(aged).toEqual({ ...issuer, updated_at, link_by_email: false, max_age_seconds: null })
    const { issuer: plain } = await runJson(
      ...[...one, '--audience', 'api', '--no-sign-in', '--no-allow-client-id'],
      ...['--no-trust-unverified-email', '--user-claim', 'sub'],
    )
    expect(plain).toEqual({
      ...aged,
      updated_at,
      audience: ['api'],
      sign_in: false,
      nonce: 'required',
      client_id_as_audience: false,
      trust_unverified_email: false,
      user_claim: 'sub',
      user_lookup: 'id',
    })
    const nothing = await run(one)
    expect(nothing).toMatchObject({ code: 2, output: '' })
    expect(nothing.errors).toContain('Give a setting to change')

    const gone = ['issuer', 'delete', ...account, '--id', issuer.id]
    expect(await runJson(...gone)).toEqual({ id: issuer.id, deleted: true })
    expect(await runJson('issuer', 'list', ...account)).toEqual({ issuers: [] })
    const again = await run(gone)
    expect(again.code).toBe(1)
    expect(again.errors).toMatch(/^error issuer_not_found.*hint: clientele issuer list/s)
  })

  test('keys and secrets come from files, and no secret is shown', async () => {
    const x5t = 'a member with a capital letter'
    const keys = await write('keys.json', JSON.stringify({ keys: [{ ...ecJwk, 'x5t#S256': x5t }] }))
    const secret = 'a shared secret of 32 bytes or more'
    const secretFile = await write('secret', `${secret}\n`)
    const create = ['issuer', 'create', ...account, ...named('https://keys.example.com')]
    const { issuer } = await runJson(...create, '--algorithm', 'ES256', '--public-keys', keys)
    expect(issuer).toMatchObject({
      key_source: 'public_keys',
      public_keys: [{ ...ecJwk, 'x5t#S256': x5t }],
    })
    const one = ['issuer', 'update', ...account, '--id', issuer.id]
    const shared = [...one, '--algorithm', 'HS256', '--shared-secret-file', secretFile]
    const { output, code } = await run([...shared, '--json'])
    expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining(secret) })
    expect(JSON.parse(output).issuer).toMatchObject({ key_source: 'shared_secret' })
    const jwk = await write('jwk.json', JSON.stringify(ecJwk))
    const back = await runJson(...one, '--algorithm', 'ES256', '--public-keys', jwk)
    expect(back.issuer).toMatchObject({ key_source: 'public_keys', public_keys: [ecJwk] })

    const wrong: [string[], RegExp][] = [
      [['--public-keys', join(directory, 'none')], /none cannot be read: ENOENT/],
      [['--public-keys', await write('text', 'keys')], /text is not JSON/],
      [['--public-keys', await write('list', '[1]')], /contains neither a JWK/],
      [['--public-keys', jwk, '--shared-secret-file', secretFile], /cannot be used with option/],
      [['--discover', '--jwks-url', 'https://x.example'], /cannot be used with option/],
      [['--algorithm', 'none'], /Allowed choices are/],
      [['--max-age', 'soon'], /whole number of seconds/],
      [['--nonce', 'optional'], /--nonce needs --sign-in/],
      [['--shared-secret', secret], /unknown option/],
    ]
    for (const [options, message] of wrong) {
      const refused = await run([...one, ...options])
      expect([options, refused]).toEqual([
        options,
        { code: 2, output: '', errors: expect.stringMatching(message) },
      ])
    }
    expect(await runJson('issuer', 'list', ...account)).toEqual({ issuers: [back.issuer] })
    const other = await runJson('account', 'create', '--name', 'Other')
    const foreign = ['issuer', 'update', '--account', other.account.id, '--id', issuer.id]
    expect((await run([...foreign, '--audience', 'x'])).errors).toMatch(/^error issuer_not_found/)
    const nobody = ['issuer', 'list', '--account', issuer.id]
    expect((await run(nobody)).errors).toMatch(/^error account_not_found/)
  })

  test('keys that are not given are discovered; a failure is explained', async () => {
    const server = await serveKeys()
    const issuer = server.url.replace('/keys', '')
    const create = ['issuer', 'create', ...account, ...named(issuer), '--algorithm', 'ES256']
    server.answer = (response) => response.writeHead(503).end()
    expect(await run(create)).toEqual({
      code: 2,
      output: '',
      errors: expect.stringContaining(
        '--issuer cannot be discovered: the answer has the status 503',
      ),
    })
    // One answer is both documents.
    const document = JSON.stringify({ issuer, jwks_uri: server.url, keys: [ecJwk] })
    server.answer = (response) => response.end(document)
    const { requests } = server
    const noUrl = ['issuer', 'create', ...account, ...named('accounts.google.com')]
    expect((await run([...noUrl, '--algorithm', 'RS256'])).errors).toContain(
      '--issuer must be a URL, since its keys are discovered: or give --shared-secret-file, --public-keys or --jwks-url',
    )
    const closed = await run(create, { ALLOW_PRIVATE_ADDRESSES: 'false' })
    expect(closed).toMatchObject({ code: 2, errors: expect.stringContaining('--issuer must') })
    expect(server.requests).toBe(requests)
    const { issuer: made } = await runJson(...create)
    expect(made).toMatchObject({ key_source: 'discovery', jwks_url: null })
    const one = ['issuer', 'update', ...account, '--id', made.id]
    const { issuer: byUrl } = await runJson(...one, '--jwks-url', server.url)
    expect(byUrl).toMatchObject({ key_source: 'jwks_url', jwks_url: server.url })
    const { issuer: found } = await runJson(...one, '--discover')
    expect(found).toMatchObject({ key_source: 'discovery', jwks_url: null })
  })
})
