import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'

const databases = eitherDatabase(import.meta.filename)

// With EVERY_TEST each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(databases)('account policy on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let accountId: string
  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function run(...options: string[]) {
    const args = ['account', 'policy', '--account', accountId, ...options]
    return runCommand(args, { DATABASE_URL: database.url })
  }
  const policyOf = async (...options: string[]) =>
    JSON.parse((await run(...options, '--json')).output).account.policy

  test('shows the policy, changes only what is given, and takes it back', async () => {
    const updates = () => clientele.events.read(accountId)
    const none = {
      sign_in: ['password', 'passkey', 'id_token'],
      second_factor: 'optional',
      password_required: true,
      min_password_length: null,
      verified_email: 'optional',
      remember_device_days: 0,
      session_ttl_seconds: null,
      session_max_seconds: null,
    }
    expect(await policyOf()).toEqual(none)
    expect((await updates()).data).toEqual([])
    const given = ['--sign-in', 'id_token', 'passkey', '--no-password-required']
    const first = { ...none, sign_in: ['passkey', 'id_token'], password_required: false }
    expect(await policyOf(...given)).toEqual(first)
    const numbers = { min_password_length: 12, session_ttl_seconds: 600, session_max_seconds: 900 }
    const more = ['--min-password-length', '12', '--session-ttl', '600', '--session-max', '900']
    const required = {
      verified_email: 'required',
      second_factor: 'required',
      remember_device_days: 30,
    }
    const second = { ...first, ...numbers, ...required }
    const rules = ['--verified-email', 'required', '--second-factor', 'required']
    rules.push('--remember-device-days', '30')
    expect(await policyOf(...more, ...rules)).toEqual(second)
    const { output } = await run()
    expect(output).toMatch(/^sign in +passkey id_token$/m)
    expect(output).toMatch(/^password required +no$/m)
    expect(output).toMatch(/^min password length +12$/m)
    const credentials = { email: 'ada@example.com', password: 'password' }
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe(
      'sign_in_method_disabled',
    )
    expect(await policyOf('--sign-in', 'email_code', 'passkey')).toEqual({
      ...second,
      sign_in: ['passkey', 'email_code'],
    })
    const back = ['--no-min-password-length', '--no-session-ttl', '--no-session-max']
    back.push('--no-remember-device-days')
    const all = ['--sign-in', 'password', 'passkey', 'id_token', '--password-required']
    const optional = ['--verified-email', 'optional', '--second-factor', 'optional']
    expect(await policyOf(...back, ...all, ...optional)).toEqual(none)
    expect((await run()).output).toMatch(/^session ttl seconds +as the service has it$/m)
  })

  test('refuses, by name, what no policy can have, and what is wider than the service', async () => {
    const before = await clientele.accounts.find(accountId)
    const refused: [string[], RegExp][] = [
      [['--sign-in', 'fax'], /'fax' is invalid\. Allowed choices are password, passkey, id_token/],
      [['--sign-in', 'pasword'], /id_token, email_code\. Did you mean password\?/],
      [['--second-factor', 'reqiured'], /Allowed choices are .* Did you mean required\?/],
      [['--verified-email', 'yes'], /Allowed choices are optional, required/],
      [['--min-password-length', 'ten'], /Give a number from 1 to 64/],
      [['--min-password-length', '5'], /--min-password-length must be at least 6/],
      [['--session-ttl', '30'], /--session-ttl must be at least 60/],
      [
        ['--session-ttl', '2592001'],
        /--session-ttl must be at most 2592000, as this service allows: an account's policy can only narrow that/,
      ],
    ]
    for (const [options, message] of refused) {
      const { code, output, errors } = await run(...options)
      expect({ options, code, output }).toEqual({ options, code: 2, output: '' })
      expect(errors).toMatch(message)
    }
    expect(await clientele.accounts.find(accountId)).toEqual(before)
  })
})
