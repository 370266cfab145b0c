import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'

const absentId = '019dfae2-6a4d-7000-8000-000000000000'

describe.each(databases)('accounts on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  function recordEvents(clientele: Clientele): string[] {
    const heard: string[] = []
    for (const name of ['account.updated', 'account.disabled', 'account.enabled'] as const) {
      clientele.events.on(name, ({ account }) => heard.push(`${name} ${account.name}`))
    }
    return heard
  }

  test('renaming an account checks the name as creation does', async () => {
    const { clientele } = await world.start()
    const heard = recordEvents(clientele)
    const account = await clientele.accounts.create({ name: 'Acme' })
    expect(account.disabledAt).toBeNull()
    const renamed = await clientele.accounts.rename(account.id, { name: '  Globex ' })
    expect(renamed).toEqual({ ...account, name: 'Globex' })
    expect(await clientele.accounts.find(account.id)).toEqual(renamed)
    expect(heard).toEqual(['account.updated Globex'])
    expect(await codeOf(clientele.accounts.rename(account.id, { name: ' ' }))).toBe(
      'validation_failed',
    )
    expect(await codeOf(clientele.accounts.rename(absentId, { name: 'X' }))).toBe(
      'account_not_found',
    )
  })

  test('a disabled account has no valid tokens and refuses sign-ins, in every process', async () => {
    const { clientele } = await world.start()
    const { clientele: operator } = await world.start()
    const heard = recordEvents(operator)
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const guarded = () =>
      clientele.guard({
        headers: { authorization: `Bearer ${signedIn.token}` },
        rawHeaders: ['Authorization', `Bearer ${signedIn.token}`],
      })
    const disabled = await operator.accounts.disable(accountId)
    expect(disabled.disabledAt).toEqual(new Date(world.now))
    world.now += 1000
    expect(await operator.accounts.disable(accountId)).toEqual(disabled)
    expect(await codeOf(clientele.auth.validateToken(accountId, signedIn.token))).toBe(
      'token_revoked',
    )
    expect(await guarded()).toMatchObject({ response: { status: 401 } })
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe('credentials_invalid')
    const { refreshToken } = signedIn
    expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(
      'refresh_token_invalid',
    )
    const enabled = await operator.accounts.enable(accountId)
    expect(enabled.disabledAt).toBeNull()
    await operator.accounts.enable(accountId)
    expect(heard).toEqual(['account.disabled Acme', 'account.enabled Acme'])
    expect((await clientele.auth.validateToken(accountId, signedIn.token)).user.id).toBe(user.id)
    expect(await guarded()).toMatchObject({ user: { id: user.id } })
    await clientele.auth.refresh(accountId, { refreshToken })
    await logIn(clientele, accountId, credentials)
    expect(await codeOf(operator.accounts.disable(absentId))).toBe('account_not_found')
  })

  test('a challenge from before the account was disabled does not complete the sign-in', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await clientele.accounts.disable(accountId)
    const answer = { challenge, method: 'totp' as const, code: generate() }
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
  })

  test.each(['sub', 'email'] as const)(
    'tokens of other issuers that name users by %s are refused, too',
    async (userClaim) => {
      const { clientele, accountId, user, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim,
      })
      const token = await signByKey({ email: user.email, email_verified: true })
      expect(await check(token)).toBeUndefined()
      await clientele.accounts.disable(accountId)
      expect(await check(token)).toBe('token_revoked')
    },
  )

  test('deleting an account deletes all its rows and leaves other accounts unchanged', async () => {
    const { clientele } = await world.start()
    const kept = await world.signIn(clientele)
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    await insertUsers(database.url, accountId, 700)
    await clientele.accounts.recount(accountId)
    const { apiKey } = await clientele.apiKeys.create(accountId)
    await clientele.auth.forgotPassword(accountId, { email: credentials.email })
    const wrong = { ...credentials, password: 'a wrong one' }
    expect(await codeOf(clientele.auth.logIn(accountId, wrong))).toBe('credentials_invalid')
    await world.enrolTotp(clientele, accountId, user.id)
    expect(await listTablesWith(database.url, accountId)).toEqual(
      expect.arrayContaining([
        'clientele_api_keys',
        'clientele_rate_limits',
        'clientele_recovery_codes',
        'clientele_sessions',
        'clientele_user_counts',
        'clientele_users',
      ]),
    )
    await clientele.accounts.delete(accountId)
    expect(await listTablesWith(database.url, accountId)).toEqual([])
    expect(await codeOf(clientele.apiKeys.authenticate(apiKey))).toBe('api_key_invalid')
    expect(await codeOf(clientele.accounts.find(accountId))).toBe('account_not_found')
    expect(await codeOf(clientele.accounts.delete(accountId))).toBe('account_not_found')
    // Its keys went with it.
    expect(await codeOf(clientele.auth.validateToken(accountId, signedIn.token))).toBe(
      'token_unknown_key',
    )
    expect(await clientele.users.list(accountId)).toMatchObject({ data: [], total: 0 })
    expect(await clientele.apiKeys.list(accountId)).toEqual([])
    expect(await clientele.trustedIssuers.list(accountId)).toEqual([])
    expect(await codeOf(clientele.sessions.list(accountId, user.id))).toBe('user_not_found')
    expect((await clientele.users.list(kept.accountId)).total).toBe(1)
    await clientele.auth.validateToken(kept.accountId, kept.signedIn.token)
  })
})

/** The tables that hold anything of an account, whatever tables there are. */
async function listTablesWith(url: string, accountId: string): Promise<string[]> {
  const rows = (await runSql(
    url,
    url.startsWith('sqlite:')
      ? `select m.name from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and c.name = 'account_id'`
      : `select table_name as name from information_schema.columns
         where table_schema = 'public' and column_name = 'account_id'`,
  )) as { name: string }[] // what both statements answer
  const names = ['clientele_accounts', ...rows.map(({ name }) => name)]
  const found: string[] = []
  for (const name of names) {
    const column = name === 'clientele_accounts' ? 'id' : 'account_id'
    const [row] = await runSql(
      url,
      `select 1 from ${name} where ${column} = '${accountId}' limit 1`,
    )
    if (row !== undefined) found.push(name)
  }
  return found.sort()
}
