import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

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

  test('an account is found by its slug and by the host’s id, and by nothing that is no such name', async () => {
    const { clientele } = await world.start()
    const { accounts } = clientele
    const names = { slug: 'acme', externalId: 'Kunde 17 💥', metadata: { plan: 'pro' } }
    const account = await accounts.create({ name: 'Acme', ...names })
    expect(account).toMatchObject(names)
    const { slug, externalId } = names
    expect(await accounts.find({ slug })).toEqual(account)
    expect(await accounts.find({ externalId, requestId: 'req-1' })).toEqual(account)
    expect(await accounts.find({ accountId: account.id })).toEqual(account)
    expect(await accounts.list()).toContainEqual(account)
    for (const none of ['acm', 'ACME', ' acme', '', 'a b', '-', 'a\0', '\ud800', 'a'.repeat(300)])
      for (const by of [{ slug: none }, { externalId: none }])
        expect(await codeOf(accounts.find(by))).toBe('account_not_found')
    const misused: [call: object, pointer: string, message: RegExp][] = [
      [{ slgu: 'acme' }, '/call/slgu', /did you mean slug/],
      [{ id: account.id }, '/call/id', /found by its id, find\(id\), by \{ slug \} or by/],
      [{ slug, externalId }, '/call', /must have one of/],
      [{ slug, accountId: account.id }, '/call', /must have one of/],
      [{ slug: undefined }, '/call', /must have one of/],
      [{ slug: 17 }, '/call/slug', /must be a string/],
    ]
    for (const [call, pointer, message] of misused) {
      const refused = await accounts.find(call as never).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        code: 'validation_failed',
        issues: expect.arrayContaining([
          expect.objectContaining({ pointer, message: expect.stringMatching(message) }),
        ]),
      })
    }
    await accounts.disable(account.id)
    expect((await accounts.find({ slug })).disabledAt).not.toBeNull()
    await accounts.delete(account.id)
    expect(await codeOf(accounts.find({ slug }))).toBe('account_not_found')
    const again = await accounts.create({ name: 'Again', ...names })
    expect((await accounts.find({ externalId })).id).toBe(again.id)
    await accounts.delete(again.id)
  })

  test('an update tells what changed, and tells nothing when nothing did', async () => {
    const { clientele } = await world.start()
    const heard: unknown[] = []
    clientele.events.on('account.updated', (event) => heard.push(event.account))
    const account = await clientele.accounts.create({ name: 'Acme' })
    const changes = { slug: 'globex', externalId: 'g', metadata: { plan: 'pro', size: '12' } }
    const updated = await clientele.accounts.update(account.id, changes)
    expect(updated).toEqual({ ...account, ...changes })
    expect(await clientele.accounts.update(account.id, changes)).toEqual(updated)
    expect(await clientele.accounts.rename(account.id, { name: 'Acme' })).toEqual(updated)
    expect(heard).toEqual([updated])
    const { data } = await clientele.events.read(account.id)
    expect(data).toMatchObject([
      { type: 'account.updated', actor: { type: 'operator' }, data: { account: updated } },
    ])
    const call = { accountId: account.id, actor: { type: 'user' as const, id: 'me' } }
    await clientele.accounts.update(call, { slug: null, metadata: {} })
    expect(heard).toEqual([updated, { ...updated, slug: null, metadata: {} }])
    expect(await codeOf(clientele.accounts.update(absentId, { slug: 'x' }))).toBe(
      'account_not_found',
    )
  })

  test.each([
    [{ slug: '' }, '/slug', 'format'],
    [{ slug: 'Acme' }, '/slug', 'format'],
    [{ slug: '-acme' }, '/slug', 'format'],
    [{ slug: 'acme-' }, '/slug', 'format'],
    [{ slug: 'ac_me' }, '/slug', 'format'],
    [{ slug: 'acmé' }, '/slug', 'format'],
    [{ slug: 'acme\n' }, '/slug', 'format'],
    [{ slug: 'a'.repeat(64) }, '/slug', 'format'],
    [{ externalId: '' }, '/externalId', 'too_short'],
    [{ externalId: 'x'.repeat(256) }, '/externalId', 'too_long'],
    [{ externalId: 'a\tb' }, '/externalId', 'text_not_allowed'],
    [{ metadata: { a: 1 } }, '/metadata/a', 'type'],
    [{ metadata: { a: null } }, '/metadata/a', 'type'],
    [{ metadata: { '': 'x' } }, '/metadata/', 'name_length'],
    [{ metadata: { a: 'x'.repeat(9000) } }, '/metadata', 'too_long'],
    [{ metadata: { a: '', b: '', c: '', d: '', e: '', f: '' } }, '/metadata', 'too_many'],
    [{ metadata: ['a'] }, '/metadata', 'type'],
    [{ slugg: 'acme' }, '/slugg', 'unrecognized'],
  ])('an account is not created or updated with %j', async (given, pointer, code) => {
    const { clientele } = await world.start()
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const wrong = given as object // types would refuse it
    const issues = [expect.objectContaining({ pointer, code })]
    await expect(clientele.accounts.update(id, wrong)).rejects.toMatchObject({ issues })
    const creating = clientele.accounts.create({ name: 'Acme', ...wrong })
    await expect(creating).rejects.toMatchObject({ issues })
  })

  test('the longest slug, and one that is a number, are accepted', async () => {
    const { clientele } = await world.start()
    for (const slug of ['a'.repeat(63), '7', 'xn--a-b'])
      expect((await clientele.accounts.create({ name: 'Acme', slug })).slug).toBe(slug)
  })

  test('the accounts of an e-mail are at most 100, and it says when there are more', async () => {
    const { clientele } = await world.start()
    const { accounts, users } = clientele
    const email = 'Ada@Bücher.example'
    const made = []
    for (let count = 0; count < 101; count++) made.push(await accounts.create({ name: `${count}` }))
    const add = async ({ id }: { id: string }) =>
      users.create(id, { name: 'Ada', email, password: 'analytical engine' })
    expect(await accounts.listForEmail(email)).toEqual({ accounts: [], hasMore: false })
    const first = made.slice(0, 100)
    await Promise.all(first.map(add))
    const normalized = ' ada@xn--bcher-kva.example '
    expect(await accounts.listForEmail(normalized)).toEqual({ accounts: first, hasMore: false })
    for (const account of made.slice(100)) await add(account)
    expect(await accounts.listForEmail({ requestId: 'req-1' }, email)).toEqual({
      accounts: first,
      hasMore: true,
    })
    for (const wrong of ['', 'ada', 'ada@', 17])
      await expect(accounts.listForEmail(wrong as string)).rejects.toMatchObject({
        issues: expect.arrayContaining([expect.objectContaining({ pointer: '/email' })]),
      })
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
    await clientele.accounts.update(accountId, { slug: 'gone', externalId: 'gone' })
    await clientele.accounts.recount(accountId)
    const { apiKey } = await clientele.apiKeys.create(accountId)
    await clientele.auth.forgotPassword(accountId, { email: credentials.email })
    const wrong = { ...credentials, password: 'a wrong one' }
    expect(await codeOf(clientele.auth.logIn(accountId, wrong))).toBe('credentials_invalid')
    await world.enrolTotp(clientele, accountId, user.id)
    expect(await listTablesWith(database.url, accountId)).toEqual(
      expect.arrayContaining([
        'clientele_account_names',
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
  const owned = { clientele_accounts: 'id', clientele_account_names: 'owner_id' }
  const columns = { ...owned, ...Object.fromEntries(rows.map(({ name }) => [name, 'account_id'])) }
  const found: string[] = []
  for (const [name, column] of Object.entries(columns)) {
    const [row] = await runSql(
      url,
      `select 1 from ${name} where ${column} = '${accountId}' limit 1`,
    )
    if (row !== undefined) found.push(name)
  }
  return found.sort()
}
