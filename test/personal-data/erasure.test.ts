import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, ClienteleEvent } from '@clientele/core'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository, readKeySet } from '../keys/open-clientele.ts'
import { IdTokenWorld } from '../sign-in/id-token-world.ts'
import { otherThan, SignInCodeWorld } from '../sign-in/sign-in-code-world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { dump } from './dump.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'password'

function digestOf(target: string): string {
  return createHash('sha256').update(target).digest('base64url').toLowerCase()
}

async function readFeed(clientele: Clientele, accountId: string): Promise<ClienteleEvent[]> {
  return (await clientele.events.read(accountId, { limit: 1000 })).data
}

describe.each(databases)('erasing a person on $name', ({ name, open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  const idTokens = new IdTokenWorld(() => database.url)
  const codes = new SignInCodeWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A person who has used every feature; `traces` has all texts that identify them. */
  async function live(
    clientele: Clientele,
    mailed: (kind: 'email_verification', index?: number) => Promise<string>,
  ) {
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const mark = randomUUID().slice(0, 8)
    const [first, second, third] = ['first', 'second', 'third'].map(
      (name) => `${name}-${mark}@example.com`,
    ) as [string, string, string] // three names
    const fail = (email: string) =>
      codeOf(
        clientele.auth.logIn({ accountId, clientAddress: '9.9.9.9' }, { email, password: 'no' }),
      )
    await fail(first)
    const person = {
      name: `Zerlina Quux${mark}`,
      email: first,
      password,
      roles: [`role-${mark}`],
      metadata: { note: `note-${mark}` },
    }
    const call = { accountId, idempotencyKey: mark }
    const { user } = await clientele.users.create(call, person)
    const { id } = user
    await clientele.auth.requestEmailVerification(accountId, { email: first })
    await clientele.auth.verifyEmail(accountId, { token: await mailed('email_verification') })
    await clientele.users.patch(accountId, id, { email: second, name: `Zerlina Corge${mark}` })
    await fail(first)
    await clientele.auth.forgotPassword(accountId, { email: first })
    await clientele.users.patch(accountId, id, { email: third })
    await clientele.auth.requestEmailVerification(accountId, { email: third })
    await clientele.auth.verifyEmail(accountId, { token: await mailed('email_verification', 1) })
    await fail(third)
    await logIn(clientele, accountId, { email: third, password })
    await clientele.users.deactivate({ accountId, idempotencyKey: mark }, id)
    await clientele.users.activate({ accountId, idempotencyKey: mark }, id)
    await logIn(clientele, accountId, { email: third, password })
    const issuer = `https://issuer-${mark}.example.com`
    const past = await clientele.identities.link(accountId, id, { issuer, subject: `past-${mark}` })
    await clientele.identities.unlink(accountId, id, past.id)
    await clientele.identities.link(accountId, id, { issuer, subject: `subject-${mark}` })
    const token = { name: `Token of ${mark}`, scopes: ['deploy', `inbox:scope-${mark}`] }
    await clientele.userTokens.create(accountId, id, token)
    const support = { actor: 'support', reason: `reason-${mark}` }
    await clientele.auth.impersonate(accountId, id, support)
    await clientele.mfa.enrolEmail(accountId, id)
    const { secret } = await clientele.mfa.enrolTotp(accountId, id)
    await clientele.mfa.confirmTotp(accountId, id, { code: world.totpCode(secret) })
    const challenge = await world.challengeOf(clientele, accountId, { email: third, password })
    await clientele.auth.mailMfaCode(accountId, { challenge })
    await clientele.auth.forgotPassword(accountId, { email: third })
    await fail(third)
    await clientele.users.exportData(accountId, id)
    await expect
      .poll(async () => (await clientele.users.exportData(accountId, id)).emailTokens.length)
      .toBe(1)
    const traces = [
      ...[first, second, third],
      ...[`issuer-${mark}`, `past-${mark}`, `subject-${mark}`],
      ...[`token of ${mark}`, `scope-${mark}`, `reason-${mark}`],
      ...[`quux${mark}`, `corge${mark}`, `role-${mark}`, `note-${mark}`],
    ]
    const counted = [id, first, third, `password_reset ${first}`, `mail ${id}`].map(digestOf)
    return { accountId, id, first, traces, counted, person }
  }

  test('leaves no count of ID tokens that were refused', async () => {
    const { clientele, accountId, user, outcome } = await idTokens.openLinked()
    expect(await outcome({ nonce: 'x' })).toBe('token_claims_invalid')
    const digest = digestOf(`id-token of ${user.id}`)
    expect(await dump(database.url)).toContain(digest)
    await clientele.users.erase(accountId, user.id)
    expect(await dump(database.url)).not.toContain(digest)
  })

  test.each(['before it', 'while it waits'])(
    'leaves no address of a reset that waits, where the person came %s',
    async (when) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const { clientele } = await world.start({ sendMail: () => held })
      const { accountId } = await world.addUser(clientele)
      // As many as mail at once.
      for (let count = 0; count < 16; count++) {
        const { credentials: others } = await world.addUser(clientele, { accountId })
        await clientele.auth.forgotPassword(accountId, { email: others.email })
      }
      const email = 'zerlina@example.com'
      const came = () => world.addUser(clientele, { accountId, email })
      const already = when === 'before it' ? await came() : undefined
      await clientele.auth.forgotPassword(accountId, { email })
      await sleep(50)
      const { user } = already ?? (await came())
      await clientele.users.erase(accountId, user.id)
      release()
      await clientele.auth.forgotPassword(accountId, { email: 'nobody@example.com' })
      await expect.poll(() => dump(database.url)).toContain('nobody@example.com')
      expect(await dump(database.url)).not.toContain(email)
    },
  )

  test('leaves no address of a reset whose look-up has waited', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const opened = openRepository(database.url)
    const findCredentials: typeof opened.users.findCredentials = async (...input) => {
      await held
      return opened.users.findCredentials(...input)
    }
    const repository = { ...opened, users: { ...opened.users, findCredentials } }
    const { clientele } = await world.start({ repository })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: credentials.email })
    await sleep(150)
    await clientele.users.erase(accountId, user.id)
    release()
    await clientele.auth.forgotPassword(accountId, { email: 'somebody@example.com' })
    const types = ['user.password_reset_requested']
    await expect
      .poll(async () => (await clientele.events.read(accountId, { types })).data.length)
      .toBe(1)
    expect(await dump(database.url)).not.toContain(credentials.email)
  })

  test('leaves no byte of name, addresses, roles and metadata, and every event', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, id, traces, counted } = await live(clientele, mailed)
    const before = await dump(database.url)
    for (const trace of traces) expect([trace, before.includes(trace)]).toEqual([trace, true])
    expect(counted.filter((digest) => before.includes(digest)).length).toBeGreaterThan(0)
    const feed = await readFeed(clientele, accountId)

    const { removed, retained } = await clientele.users.erase(accountId, id)

    const after = await dump(database.url)
    expect(traces.filter((trace) => after.includes(trace))).toEqual([])
    expect(after).not.toContain('zerlina')
    expect(counted.filter((digest) => after.includes(digest))).toEqual([])
    expect(removed).toMatchObject({
      clientele_users: 1,
      clientele_sessions: 2,
      clientele_identities: 1,
      clientele_mfa_factors: 1,
      clientele_recovery_codes: 10,
      clientele_challenges: 1,
      clientele_user_tokens: 1,
      clientele_verified_emails: 1,
      clientele_email_tokens: 1,
      clientele_user_roles: 1,
      clientele_replies: 3,
    })
    // What still has the user's id is in the receipt.
    const holders = retained.map(({ what }) => what)
    expect(holders).toEqual(expect.arrayContaining(['clientele_events']))
    const left = await readFeed(clientele, accountId)
    const withoutPerson = feed.map(
      ({
        data: {
          user: _user,
          email: _email,
          issuer: _issuer,
          subject: _subject,
          reason: _reason,
          scopes: _scopes,
          ...data
        },
        ...event
      }) => ({
        ...event,
        data,
      }),
    )
    expect(left).toEqual([
      ...withoutPerson,
      expect.objectContaining({ type: 'user.erased', subject: { type: 'user', id }, data: {} }),
    ])
    expect((await clientele.users.list(accountId)).total).toBe(0)
  })

  test.runIf(runsEveryTest || name === 'sqlite')(
    'handles a long history, and addresses that only events contain',
    async () => {
      const { clientele } = await world.start()
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const mark = randomUUID().slice(0, 8)
      const former = `former-${mark}@example.com`
      await codeOf(clientele.auth.logIn(accountId, { email: former, password: 'no' }))
      const { user } = await clientele.users.create(accountId, {
        ...{ name: `Zerlina ${mark}`, email: former, password },
      })
      const { id } = user
      for (let count = 0; count < 1_100; count++)
        await clientele.users.patch(accountId, id, { name: `Zerlina ${mark} ${count}` })
      await clientele.users.patch(accountId, id, { email: `new-${mark}@example.com` })
      await runSql(database.url, `delete from clientele_former_emails where user_id = '${id}'`)
      const { removed } = await clientele.users.erase(accountId, id)
      expect(removed).toMatchObject({ clientele_users: 1 })
      // To print all that it contains would take minutes.
      expect((await dump(database.url)).includes(mark)).toBe(false)
      const feed: ClienteleEvent[] = []
      let after: string | undefined
      for (let hasMore = true; hasMore; ) {
        const page = await clientele.events.read(accountId, { after, limit: 1000, userId: id })
        feed.push(...page.data)
        ;({ nextCursor: after, hasMore } = page)
      }
      expect(feed).toHaveLength(1_103)
      expect(feed.filter(({ data }) => data.user !== undefined)).toEqual([])
    },
    60_000,
  )

  test('clears a long history in parts, and goes on where it was interrupted', async () => {
    const { clientele } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const mark = randomUUID().slice(0, 8)
    const former = `former-${mark}@example.com`
    await codeOf(clientele.auth.logIn(accountId, { email: former, password: 'no' }))
    const person = { name: `Zerlina ${mark}`, email: former, password }
    const { id } = (await clientele.users.create(accountId, person)).user
    await clientele.users.patch(accountId, id, { email: `new-${mark}@example.com` })
    for (let count = 0; count < 200; count++)
      await clientele.users.patch(accountId, id, { name: `Zerlina ${mark} ${count}` })
    // Only the events of the first part have this address.
    await runSql(database.url, `delete from clientele_former_emails where user_id = '${id}'`)
    const countCleared = async () =>
      (await readFeed(clientele, accountId)).filter(
        ({ subject, data }) => subject?.id === id && data.user === undefined,
      ).length
    expect(await countCleared()).toBe(0)

    const allow = await refuseToClear(accountId, 150)
    await expect(clientele.users.erase(accountId, id)).rejects.toThrow()
    expect(await countCleared()).toBe(100)
    expect((await clientele.users.find(accountId, id)).user.id).toBe(id)

    await allow()
    await clientele.users.erase(accountId, id)
    expect((await dump(database.url)).includes(mark)).toBe(false)
  })

  /** Lets the database refuse to clear an event from a position of the feed on. Returns what ends that. */
  async function refuseToClear(accountId: string, position: number): Promise<() => Promise<void>> {
    const condition = `new.account_id = '${accountId}' and old.person is not null and new.person is null and new.position >= ${position}`
    if (name === 'sqlite') {
      await runSql(
        database.url,
        `create trigger refuse before update on clientele_events when ${condition}
         begin select raise(abort, 'refused'); end`,
      )
      return async () => {
        await runSql(database.url, 'drop trigger refuse')
      }
    }
    await runSql(
      database.url,
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
      `create trigger refuse before update on clientele_events for each row when (${condition}) execute function refuse()`,
    )
    return async () => {
      await runSql(database.url, 'drop function refuse cascade')
    }
  }

  test('removes addresses that no event contains', async () => {
    const { clientele } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const mark = randomUUID().slice(0, 8)
    const former = [`old-${mark}@example.com`, `older-${mark}@example.com`]
    async function* records() {
      yield { line: 1, value: { name: 'Zerlina', email: former[1] } }
    }
    await clientele.users.import(accountId, records())
    const [user] = (await clientele.users.list(accountId)).data
    const id = user?.id ?? ''
    for (const email of [former[0], `new-${mark}@example.com`])
      await clientele.users.patch(accountId, id, { email })
    const events = `delete from clientele_events where account_id = '${accountId}'`
    await runSql(database.url, events)
    // Another program's connection leaves what it deletes in free pages, and copies of rows where it vacuums.
    const clean = database.url.startsWith('sqlite:') ? ['pragma secure_delete = on'] : []
    await runSql(database.url, ...clean, 'vacuum')
    for (const email of former)
      await codeOf(clientele.auth.logIn(accountId, { email: email ?? '', password: 'no' }))
    expect((await clientele.users.exportData(accountId, id)).formerEmails).toEqual(former)
    await clientele.users.erase(accountId, id)
    const after = await dump(database.url)
    expect(after).not.toContain(mark)
  })

  test('leaves other users unchanged, whatever they share with the person', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, id, first, person } = await live(clientele, mailed)
    // The same person in another account, and one in this account who has the former address by now
    const elsewhere = (await clientele.accounts.create({ name: 'Globex' })).id
    const twin = await clientele.users.create(elsewhere, person)
    await codeOf(clientele.auth.logIn(elsewhere, { email: first, password: 'no' }))
    const heir = await clientele.users.create(accountId, { ...person, name: 'Heir' })
    const theirs = await readFeed(clientele, elsewhere)
    await clientele.users.erase(accountId, id)
    expect(await readFeed(clientele, elsewhere)).toEqual(theirs)
    expect(await clientele.users.find(elsewhere, twin.user.id)).toEqual(twin)
    expect(await clientele.users.find(accountId, heir.user.id)).toEqual(heir)
    const [created] = (await clientele.users.exportData(accountId, heir.user.id)).events
    expect(created).toMatchObject({ type: 'user.created', data: { user: heir.user } })
  })

  test.each(['had', 'asked for'])(
    'leaves what belongs to others under an address that the person %s',
    async (how) => {
      const { clientele, accountId, user, credentials, ask } = await codes.open()
      const { email } = credentials
      const { user: person } = await codes.addUser(clientele, { accountId })
      if (how === 'had') {
        const { patch } = clientele.users
        await patch(accountId, user.id, { email: `other-${email}` })
        await patch(accountId, person.id, { email })
        await patch(accountId, person.id, { email: person.email })
        await patch(accountId, user.id, { email })
      }
      const { challenge, code } = await ask()
      const guess = { challenge, code: otherThan(code) }
      expect(await codeOf(clientele.auth.logInWithCode(accountId, guess))).toBe(
        'sign_in_code_invalid',
      )
      await codeOf(clientele.auth.logIn(accountId, { email, password: 'no' }))
      await clientele.auth.forgotPassword(accountId, { email })
      const told = async () =>
        (await readFeed(clientele, accountId)).filter(({ subject }) => subject.id === user.id)
      const ofCounts = `select key from clientele_rate_limits where account_id = '${accountId}' order by key`
      await expect
        .poll(async () => (await told()).at(-1)?.type)
        .toBe('user.password_reset_requested')
      const [events, counts] = [await told(), await runSql(database.url, ofCounts)]
      expect(counts.length).toBeGreaterThan(1)
      if (how === 'asked for')
        await clientele.users.requestEmailChange(accountId, person.id, { email })

      await clientele.users.erase(accountId, person.id)

      expect(await told()).toEqual(events)
      expect(await runSql(database.url, ofCounts)).toEqual(expect.arrayContaining(counts))
      const right = clientele.auth.logInWithCode(accountId, { challenge, code })
      expect(await codeOf(right)).toBeUndefined()
    },
  )

  test('gives a receipt that the public keys verify, and that is not a token', async () => {
    for (const signingAlgorithm of ['ES256', 'RS256', 'EdDSA'] as const) {
      const signer = (await world.start({ signingAlgorithm })).clientele
      const { accountId, user } = await world.addUser(signer)
      const { receipt, erasedAt, ...members } = await signer.users.erase(accountId, user.id)
      const keys = createLocalJWKSet(await readKeySet(signer, accountId))
      const { payload } = await compactVerify(receipt, keys)
      expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({
        ...members,
        erased_at: erasedAt.toISOString(),
      })
      expect(decodeProtectedHeader(receipt)).toMatchObject({ typ: 'clientele-erasure+json' })
      const validated = signer.auth.validateToken(accountId, `Bearer ${receipt}`)
      expect(await codeOf(validated)).toMatch(/^token_/)
    }
  })

  test('concurrent writes about the user leave nothing behind either', async () => {
    const one = (await world.start()).clientele
    const two = (await world.start()).clientele
    for (let round = 0; round < 8; round++) {
      const { accountId, user, credentials, signedIn } = await world.signIn(one)
      const outcomes = await Promise.allSettled([
        two.users.patch(accountId, user.id, { name: 'Zerlina' }),
        two.auth.logIn(accountId, credentials),
        two.auth.logOut(accountId, toRefresh(signedIn)),
        two.mfa.enrolEmail(accountId, user.id),
        two.users.deactivate({ accountId, idempotencyKey: 'key' }, user.id),
        one.users.erase(accountId, user.id),
        two.users.patch(accountId, user.id, { email: `${randomUUID()}@example.com` }),
        one.mfa.remove(accountId, user.id),
        two.identities.link(accountId, user.id, { issuer: user.id, subject: user.email }),
        one.sessions.revokeAll(accountId, user.id),
      ])
      expect(outcomes[5]?.status).toBe('fulfilled')
      const feed = await readFeed(one, accountId)
      // An address that is typed later, into a sign-in that fails, belongs to no user.
      const told = feed.filter(({ type, data }) => type !== 'user.login_failed' && 'user' in data)
      expect(told).toEqual([])
      const replies = `select * from clientele_replies where account_id = '${accountId}'`
      expect(await runSql(database.url, replies)).toEqual([])
    }
  })

  test('a request without an effect keeps no answer about an erased person', async () => {
    const one = (await world.start()).clientele
    const two = (await world.start()).clientele
    for (let round = 0; round < 8; round++) {
      const { accountId, user } = await world.addUser(one)
      let isErased = false
      const activations = Array.from({ length: 4 }, async () => {
        while (!isErased)
          await codeOf(two.users.activate({ accountId, idempotencyKey: randomUUID() }, user.id))
      })
      await sleep(5 * round)
      await one.users.erase(accountId, user.id)
      isErased = true
      await Promise.all(activations)
      const replies = `select * from clientele_replies where account_id = '${accountId}'`
      expect(await runSql(database.url, replies)).toEqual([])
    }
  })

  test('a sign-in with the right password that is under way leaves no address either', async () => {
    const one = (await world.start()).clientele
    const two = (await world.start()).clientele
    for (let round = 0; round < 4; round++) {
      const { accountId, user, credentials } = await world.addUser(one)
      const signIns = Array.from({ length: 8 }, () =>
        codeOf(two.auth.logIn(accountId, credentials)),
      )
      await Promise.race(signIns)
      await one.users.erase(accountId, user.id)
      await Promise.all(signIns)
      expect(await dump(database.url)).not.toContain(credentials.email)
    }
  })

  test('20 simultaneous requests with one key in two processes: one erasure, 20 equal answers', async () => {
    const one = (await world.start()).clientele
    const two = (await world.start()).clientele
    const { accountId, user } = await world.signIn(one)
    const call = { accountId, idempotencyKey: 'key' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => [one, two][index % 2]?.users.erase(call, user.id)),
    )
    expect(answers).toEqual(answers.map(() => answers[0]))
    const erased = (await readFeed(one, accountId)).filter(({ type }) => type === 'user.erased')
    expect(erased).toHaveLength(1)
    world.now += 24 * 3600 * 1000
    expect(await codeOf(one.users.erase(call, user.id))).toBe('user_not_found')
  })
})
