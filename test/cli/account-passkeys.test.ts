import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const rp = ['--rp-id', 'example.com', '--rp-name', 'Acme']
const origin = 'https://example.com'

describe.each(databases)('account passkeys on $name', ({ openEmpty }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let accountId: string
  beforeAll(async () => {
    database = await openEmpty()
    clientele = await openClientele(database.url)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function run(...args: string[]) {
    const running = startProcess(cliScript, args, { DATABASE_URL: database.url })
    const code = await running.ended
    return { code, output: running.output(), errors: running.errors() }
  }
  const set = (...options: string[]) =>
    run('account', 'passkeys', '--account', accountId, ...options)
  const readSettings = async () => (await clientele.accounts.find(accountId)).passkeys

  test('sets the site of passkeys, and shows it', async () => {
    const outcome = await set(...rp, '--origin', origin)
    const text = 'Passkeys of Acme: example.com (Acme)\n'
    expect(outcome).toEqual({ code: 0, output: text, errors: '' })
    const settings = { rpId: 'example.com', rpName: 'Acme', origins: [origin], requireToken: false }
    expect(await readSettings()).toEqual(settings)
    const origins = [origin, 'https://app.example.com', origin]
    const { output } = await set(...rp, '--origin', ...origins, '--require-token', '--json')
    const passkeys = {
      ...{ rp_id: 'example.com', rp_name: 'Acme' },
      ...{ origins: origins.slice(0, 2), require_token: true },
    }
    const account = { id: accountId, name: 'Acme', passkeys }
    expect(JSON.parse(output).account).toMatchObject(account)
    const listed = await run('account', 'list', '--json')
    expect(JSON.parse(listed.output).accounts).toEqual([expect.objectContaining(account)])
  })

  test('refuses, by option name, values that no browser accepts', async () => {
    const before = await readSettings()
    const refused: [string[], RegExp][] = [
      [[...rp], /required option '--origin <origin\.\.\.>' not specified/],
      [['--origin', origin, '--rp-name', 'Acme'], /required option '--rp-id <domain>'/],
      [
        ['--rp-id', 'https://example.com', '--rp-name', 'Acme', '--origin', origin],
        /^error validation_failed: The input is not valid\.\n {2}--rp-id must be a domain in lower case: example\.com\n$/,
      ],
      [
        [...rp, '--origin', 'https://example.com/login', 'http://example.com'],
        /--origin, value 1, must be an origin: https:\/\/example\.com\n {2}--origin, value 2, must be an origin/,
      ],
    ]
    for (const [options, message] of refused) {
      const { code, output, errors } = await set(...options)
      expect({ options, code, output }).toEqual({ options, code: 2, output: '' })
      expect(errors).toMatch(message)
    }
    const unknown = ['--account', '019dfae2-6a4d-7000-8000-000000000000']
    const nowhere = await run('account', 'passkeys', ...unknown, ...rp, '--origin', origin)
    expect(nowhere.code).toBe(1)
    expect(nowhere.errors).toMatch(/^error account_not_found: .*\nhint: clientele account list/)
    expect(await readSettings()).toEqual(before)
  })

  test('needs --force to change the site while passkeys are enrolled', async () => {
    await set(...rp, '--origin', origin)
    await enrol()
    const other = ['--rp-id', 'example.org', '--rp-name', 'Acme', '--origin', 'https://example.org']
    const refused = await set(...other)
    expect({ ...refused, errors: '' }).toEqual({ code: 1, output: '', errors: '' })
    expect(refused.errors).toMatch(/^error passkeys_enrolled: .* another --rp-id .*--force/)
    expect((await readSettings())?.rpId).toBe('example.com')
    expect(await set('--rp-id', 'example.com', '--rp-name', 'Globex', '--origin', origin)).toEqual({
      ...{ code: 0, output: 'Passkeys of Acme: example.com (Globex)\n', errors: '' },
    })
    expect((await set(...other, '--force')).code).toBe(0)
    expect((await readSettings())?.rpId).toBe('example.org')
  })

  async function enrol(): Promise<void> {
    const given = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }
    const { user } = await clientele.users.create(accountId, given)
    const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
    const response = new SoftwareAuthenticator().create(options)
    await clientele.passkeys.enrol(accountId, user.id, { challenge, response })
  }
})
