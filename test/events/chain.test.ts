import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele, type FeedVerification } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { runsEveryTest } from '../support/slow-tests.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'correct horse'
const audit = { chain: true }

describe.each(databases)('the hash chain on $name', ({ name, open }) => {
  let database: OpenDatabase
  let chained: Clientele
  let plain: Clientele
  let now = Date.now()

  beforeAll(async () => {
    database = await open()
    const clock = () => now
    chained = await openClientele(database.url, { clock, audit })
    plain = await openClientele(database.url, { clock })
  })
  afterAll(async () => {
    await chained.close()
    await plain.close()
    await database.close()
  })

  const newAccount = async () => (await chained.accounts.create({ name: 'Acme' })).id
  const addUsers = async (accountId: string, count: number, at = chained) => {
    for (let index = 0; index < count; index++) {
      const email = `ada${Math.random()}@example.com`
      await at.users.create(accountId, { name: 'Ada', email, password })
    }
  }
  /** An account with ten users, whose feed is linked */
  const newFeed = async () => {
    const accountId = await newAccount()
    await addUsers(accountId, 10)
    expect(await chained.events.verify(accountId)).toMatchObject(sound(10))
    return accountId
  }
  const sound = (verified: number): Partial<FeedVerification> => ({
    hasChain: true,
    isSound: true,
    verified,
    unchained: 0,
    erased: 0,
    lastPosition: verified,
    problems: [],
    problemCount: 0,
  })
  const change = (accountId: string, ...statements: string[]) =>
    runSql(database.url, ...statements.map((text) => text.replaceAll('ACCOUNT', `'${accountId}'`)))
  const problemsOf = async (accountId: string) => {
    const { isSound, problems, problemCount } = await chained.events.verify(accountId)
    expect(isSound).toBe(false)
    expect(problems).toHaveLength(problemCount)
    return problems.map(({ kind, position, lastPosition }) => [kind, position, lastPosition])
  }
  const at = (position: number) => `where account_id = ACCOUNT and position = ${position}`

  test('an unchanged feed is sound, whichever process assigned the positions', async () => {
    const accountId = await newFeed()
    await addUsers(accountId, 3)
    // It links too, though it would begin no chain.
    await plain.events.read(accountId)
    expect(await plain.events.verify(accountId)).toMatchObject(sound(13))
  })

  test('an event that was written without the key is not linked, and is reported', async () => {
    const accountId = await newFeed()
    const insert = (id: string, chain: string) => `
      insert into clientele_events (account_id, id, type, created_at, actor_type, actor_id, request_id,
        subject_type, subject_id, data, person, chain)
      select account_id, '${id}', 'user.deleted', created_at, actor_type, actor_id, request_id,
        subject_type, subject_id, data, person, ${chain} from clientele_events ${at(4)}`
    // Alone, and with all that stands beside an event that was written.
    await change(accountId, insert('01a2049c-4dbc-75d7-8296-ed565b75d901', 'null'))
    await addUsers(accountId, 1)
    await change(accountId, insert('01a2049c-4dbc-75d7-8296-ed565b75d902', 'chain'))
    await change(accountId, insert('01a2049c-4dbc-75d7-8296-ed565b75d903', "'forged'"))
    await addUsers(accountId, 1)
    // By a process that makes no chain.
    await addUsers(accountId, 1, plain)
    const found = [11, 13, 14, 16].map((position) => ['forged', position, position])
    expect(await problemsOf(accountId)).toEqual(found)
    // They do not pass for others, nor for what is older than the chain.
    await change(accountId, `update clientele_events set chain = null ${at(11)}`)
    expect(await problemsOf(accountId)).toEqual([['changed', 11, 11], ...found.slice(1)])
    await change(accountId, `update clientele_events set chain = 'forged' ${at(12)}`)
    expect(await problemsOf(accountId)).toContainEqual(['forged', 12, 12])
  })

  test('an event that was changed before it was linked is not linked, and is reported', async () => {
    let accountId = ''
    let changed: unknown[] = []
    // Events are linked within half a second: on a busy machine before they are changed.
    for (let tries = 0; changed.length === 0 && tries < 10; tries++) {
      accountId = await newFeed()
      await addUsers(accountId, 2)
      changed = await change(
        accountId,
        `update clientele_events set created_at = 0 where account_id = ACCOUNT and position is null returning id`,
      )
    }
    expect(changed).not.toEqual([])
    const problems = await problemsOf(accountId)
    expect(problems.map(([kind]) => kind)).toEqual(changed.map(() => 'forged'))
  })

  test('an erasure before an event is linked leaves the feed sound', async () => {
    const accountId = await newFeed()
    const { user } = await chained.users.create(accountId, {
      ...{ name: 'Ada', email: 'early@example.com', password },
    })
    await chained.users.erase(accountId, user.id)
    const { isSound, problems } = await chained.events.verify(accountId)
    expect({ isSound, problems }).toEqual({ isSound: true, problems: [] })
  })

  test.each(['delete', 'erase'] as const)(
    'a failed sign-in of a user who is gone meanwhile leaves the feed sound: %s',
    async (how) => {
      const accountId = await newAccount()
      const email = `${randomUUID()}@example.com`
      const { user } = await chained.users.create(accountId, { name: 'Ada', email, password })
      const repository = repositoryOf(database.url)
      const { events } = repository
      const append: typeof events.append = async (...written) => {
        if (written[1].subject.id !== null) await chained.users[how](accountId, user.id)
        return events.append(...written)
      }
      const held = { ...repository, events: { ...events, append } }
      const beside = await openClientele(database.url, { audit, repository: held })
      const failed = beside.auth.logIn(accountId, { email, password: 'wrong horse' })
      expect(await codeOf(failed)).toBe('credentials_invalid')
      await beside.close()
      const { data } = await chained.events.read(accountId)
      expect(data.at(-1)).toMatchObject({ type: 'user.login_failed', subject: { id: null } })
      const { isSound, problems } = await chained.events.verify(accountId)
      expect({ isSound, problems }).toEqual({ isSound: true, problems: [] })
    },
  )

  test('without the option there is no chain', async () => {
    const accountId = await newAccount()
    await addUsers(accountId, 1, plain)
    expect(await plain.events.verify(accountId)).toMatchObject({ hasChain: false, isSound: false })
  })

  test('the chain begins with the next event, and verify counts the older ones', async () => {
    const accountId = await newAccount()
    await addUsers(accountId, 4, plain)
    await plain.events.read(accountId)
    await addUsers(accountId, 2)
    await chained.events.read(accountId)
    const expected = { isSound: true, unchained: 4, verified: 2, lastPosition: 6 }
    expect(await chained.events.verify(accountId)).toMatchObject(expected)
    await change(accountId, `update clientele_events set chain = null ${at(5)}`)
    expect(await problemsOf(accountId)).toEqual([['moved', 6, 6]])
  })

  test.each([
    ['request_id', `'another'`],
    ['type', `'user.deleted'`],
    ['created_at', '0'],
    ['actor_type', `'system'`],
    ['actor_id', `'another'`],
    ['subject_id', 'null'],
    ['data', `'{"a":1}'`],
    ['person', `'{}'`],
    ['person_salt', `'salt'`],
    ['chain', 'null'],
  ])('a changed %s is reported', async (column, value) => {
    const accountId = await newFeed()
    await change(accountId, `update clientele_events set ${column} = ${value} ${at(4)}`)
    expect(await problemsOf(accountId)).toEqual([['changed', 4, 4]])
    const [problem] = (await chained.events.verify(accountId)).problems
    const { data } = await chained.events.read(accountId)
    expect(problem?.eventId).toBe(data[3]?.id)
  })

  test('missing entries are reported, in the middle and at both ends', async () => {
    const accountId = await newFeed()
    await change(
      accountId,
      `delete from clientele_events where account_id = ACCOUNT and position in (1, 4, 5, 10)`,
    )
    expect(await problemsOf(accountId)).toEqual([
      ['missing', 1, 1],
      ['missing', 4, 5],
      ['missing', 10, 10],
    ])
  })

  test('an entry that no walk reaches is reported, and stands in no export of its person', async () => {
    const insert = (position: string, userId: string) => `
      insert into clientele_events (account_id, id, type, created_at, actor_type, actor_id, request_id,
        subject_type, subject_id, data, person, chain, position)
      select account_id, '01a2049c-4dbc-75d7-8296-ed565b75d901', 'user.password_reset', created_at, actor_type, actor_id,
        request_id, subject_type, '${userId}', data, person, null, ${position} from clientele_events ${at(4)}`
    // SQLite sorts a text behind every number.
    const far = name === 'sqlite' ? ['9007199254740993', "'text'"] : ['9007199254740993']
    for (const [position, told] of [
      ...far.map((each) => [each, Number.MAX_SAFE_INTEGER] as const),
      ['0', 0] as const,
      ['-7', -7] as const,
    ]) {
      const accountId = await newFeed()
      const { data } = await chained.users.list(accountId)
      const id = String(data[0]?.id)
      await change(accountId, insert(position, id))
      expect(await problemsOf(accountId)).toEqual([['forged', told, told]])
      const { events } = await chained.users.exportData(accountId, id)
      expect(events.map(({ type }) => type)).toEqual(['user.created'])
    }
  })

  test('an entry behind the end is reported, also with the events that could get no position', async () => {
    const accountId = await newFeed()
    const columns =
      'account_id, type, created_at, actor_type, request_id, subject_type, data, chain, person_salt'
    await change(
      accountId,
      `insert into clientele_events (id, position, ${columns})
       select '${randomUUID()}', 11, ${columns} from clientele_events ${at(10)}`,
    )
    expect(await problemsOf(accountId)).toEqual([['forged', 11, 11]])
    await addUsers(accountId, 1)
    expect(await problemsOf(accountId)).toEqual([['forged', 11, 11]])
  })

  test('an end that was set back is reported, also later', async () => {
    const accountId = await newFeed()
    await change(
      accountId,
      'delete from clientele_events where account_id = ACCOUNT and position > 8',
      'update clientele_event_feeds set last_position = 8 where account_id = ACCOUNT',
    )
    expect(await problemsOf(accountId)).toEqual([['end', 8, 8]])
    await addUsers(accountId, 2)
    expect(await problemsOf(accountId)).toEqual([['moved', 9, 9]])
  })

  test('a beginning that was cut off is reported', async () => {
    const accountId = await newFeed()
    await change(
      accountId,
      'delete from clientele_events where account_id = ACCOUNT and position <= 3',
      'update clientele_event_feeds set purged_position = 3 where account_id = ACCOUNT',
    )
    expect(await problemsOf(accountId)).toEqual([['moved', 4, 4]])
    await change(
      accountId,
      'update clientele_event_feeds set purged_chain = chain where account_id = ACCOUNT',
    )
    expect(await problemsOf(accountId)).toEqual([['beginning', 3, 3]])
  })

  test('moved entries and a closed gap are reported', async () => {
    const swapped = await newFeed()
    await change(
      swapped,
      `update clientele_events set position = 1000 ${at(4)}`,
      `update clientele_events set position = 4 ${at(7)}`,
      `update clientele_events set position = 7 ${at(1000)}`,
    )
    const kinds = await problemsOf(swapped)
    expect(kinds).toEqual([
      ['moved', 4, 4],
      ['moved', 5, 5],
      ['moved', 7, 7],
      ['moved', 8, 8],
    ])
    const closed = await newFeed()
    await change(
      closed,
      `delete from clientele_events ${at(10)}`,
      `delete from clientele_events ${at(4)}`,
      `update clientele_events set position = 4 ${at(9)}`,
    )
    expect(await problemsOf(closed)).toEqual([
      ['moved', 4, 4],
      ['moved', 5, 5],
      ['missing', 9, 10],
    ])
  })

  test('an inserted entry is reported', async () => {
    const accountId = await newFeed()
    await change(
      accountId,
      `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data, position, chain)
       select account_id, '019dfae2-6a4d-7000-8000-000000000001', type, created_at, actor_type, request_id, subject_type, data, 11, chain
       from clientele_events ${at(10)}`,
      'update clientele_event_feeds set last_position = 11 where account_id = ACCOUNT',
    )
    expect(await problemsOf(accountId)).toEqual([
      ['changed', 11, 11],
      ['end', 11, 11],
    ])
  })

  test('erasures leave the chain sound, and no digest that could be guessed', async () => {
    const accountId = await newFeed()
    const { data } = await chained.users.list(accountId)
    // The first receipt makes the key that signs it, which is an event, too.
    for (const { id } of data.slice(3, 5)) await chained.users.erase(accountId, id)
    expect(await chained.events.verify(accountId)).toMatchObject({ ...sound(13), erased: 2 })
    await addUsers(accountId, 1)
    expect(await chained.events.verify(accountId)).toMatchObject({ ...sound(14), erased: 2 })
    const salts = (await change(
      accountId,
      'select person_salt from clientele_events where account_id = ACCOUNT and person is not null',
    )) as { person_salt: string }[] // what the statement selects
    expect(new Set(salts.map(({ person_salt }) => person_salt)).size).toBe(9)
  })

  test('an erasure that empties an address typed before a user had it leaves the chain sound', async () => {
    const accountId = await newFeed()
    const [user] = (await chained.users.list(accountId)).data
    const email = 'typed@example.com'
    await chained.auth.logIn(accountId, { email, password: 'wrong' }).catch(() => {})
    await chained.users.patch(accountId, user?.id ?? '', { email })
    await chained.users.erase(accountId, user?.id ?? '')
    expect(await chained.events.verify(accountId)).toMatchObject({ isSound: true, erased: 3 })
  })

  test("an address typed for a user, which another user's erasure would not remove, is reported", async () => {
    const accountId = await newFeed()
    const [user, other] = (await chained.users.list(accountId)).data
    const email = user?.email ?? ''
    await chained.auth.logIn(accountId, { email, password: 'wrong' }).catch(() => {})
    await chained.events.read(accountId)
    await change(
      accountId,
      `update clientele_events set person = null, person_salt = null ${at(11)}`,
    )
    await chained.users.erase(accountId, other?.id ?? '')
    expect(await problemsOf(accountId)).toEqual([['emptied', 11, 11]])
  })

  test('a person who was removed without an erasure is reported', async () => {
    const accountId = await newFeed()
    const { data } = await chained.users.list(accountId)
    await chained.users.erase(accountId, data[8]?.id ?? '')
    await change(
      accountId,
      `update clientele_events set person = null, person_salt = null ${at(4)}`,
    )
    expect(await problemsOf(accountId)).toEqual([['emptied', 4, 4]])
  })

  test('events without readers are linked, too', async () => {
    const accountId = await newAccount()
    await addUsers(accountId, 2)
    const unlinked =
      'select id from clientele_events where account_id = ACCOUNT and position is null'
    await expect.poll(() => change(accountId, unlinked)).toEqual([])
  })

  test.runIf(runsEveryTest)('deleting old entries leaves the chain sound', async () => {
    const accountId = await newAccount()
    const day = 24 * 3_600_000
    // With every 256 events of a process some that are too old go.
    for (let index = 0; index < 300; index++) {
      if (index === 20) now += 91 * day
      await chained.apiKeys.create(accountId, { name: `key ${index}` })
    }
    await expect
      .poll(async () => (await chained.events.verify(accountId)).verified)
      .toBeLessThanOrEqual(280)
    const { isSound, lastPosition, verified } = await chained.events.verify(accountId)
    expect({ isSound, lastPosition }).toEqual({ isSound: true, lastPosition: 300 })
    expect(verified).toBe(280)
  })

  test('processes that link at once link one after the other', async () => {
    const accountId = await newAccount()
    // One that begins no chain may be first otherwise, and last.
    await addUsers(accountId, 1)
    await chained.events.read(accountId)
    await Promise.all(
      [chained, plain].flatMap((each) =>
        Array.from({ length: 15 }, async () => {
          await addUsers(accountId, 1)
          await each.events.read(accountId)
        }),
      ),
    )
    expect(await chained.events.verify(accountId)).toMatchObject(sound(31))
  })

  test('a replaced secret verifies until it is no longer given', async () => {
    const own = await open()
    const old = 'the old secret, with 32 characters'
    const fresh = 'the new secret, with 32 characters'
    const openWith = (secrets: string[]) => openClientele(own.url, { secrets, audit })
    let clientele = await openWith([old])
    const accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    await addUsers(accountId, 2, clientele)
    await clientele.events.read(accountId)
    await clientele.close()
    clientele = await openWith([fresh, old])
    await addUsers(accountId, 2, clientele)
    expect(await clientele.events.verify(accountId)).toMatchObject(sound(4))
    await clientele.close()
    clientele = await openWith([fresh])
    const { problems } = await clientele.events.verify(accountId)
    expect(problems.map(({ kind, position }) => [kind, position])).toEqual([
      ['unreadable', 1],
      ['unreadable', 2],
    ])
    await clientele.close()
    await own.close()
  })

  test('a command line with another secret links nothing', async () => {
    const accountId = await newAccount()
    const linking = await openClientele(database.url, { audit })
    await addUsers(accountId, 1, linking)
    await linking.close()
    // What a command writes is sealed, and links nothing by itself.
    const command = await openClientele(database.url, { lazyKeys: true })
    await addUsers(accountId, 1, command)
    await command.close()
    const repository = repositoryOf(database.url)
    const secrets = ['another secret, with 32 characters']
    const other = await createClientele({ repository, secrets, lazyKeys: true })
    expect(await codeOf(other.events.read(accountId))).toBe('secret_wrong')
    expect(await codeOf(other.events.verify(accountId))).toBe('secret_wrong')
    await other.close()
    expect(await chained.events.verify(accountId)).toMatchObject(sound(2))
  })

  test('a process that cannot link assigns no positions', async () => {
    const accountId = await newFeed()
    const repository = repositoryOf(database.url)
    let code: unknown
    let added = 0
    // The other processes link events within half a second: on a busy machine before this one reads.
    while (code === undefined && added < 10) {
      await addUsers(accountId, 1)
      added++
      code = await codeOf(repository.events.read(accountId, { after: 0, limit: 1 }))
    }
    expect(code).toBe('secret_required')
    await repository.storage.close()
    expect(await chained.events.verify(accountId)).toMatchObject(sound(10 + added))
  })
})
