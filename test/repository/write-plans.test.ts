import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { openDatabase } from '../support/databases.ts'
import { someEvent, someProof } from '../support/some-event.ts'
import { planOf } from '../support/sqlite-plan.ts'
import { openRecorded } from '../support/statement-recorder.ts'
import {
  changesTo,
  hour,
  newAccount,
  newReply,
  newTenant,
  newUser,
  nextId,
  start,
} from './world.ts'

// PostgreSQL knows how large its tables are; SQLite plans without, and once walked through all sessions of an account.
test("rows that a user's change ends are found by an index on SQLite", async () => {
  const database = await openDatabase('sqlite')
  const { repository, take, close } = openRecorded(database.url)
  await repository.storage.migrate()
  const accountId = await newAccount(repository)
  const user = newUser()
  await repository.users.create(accountId, user, someEvent(accountId))
  const token = { userId: user.id, purpose: 'password_reset', expiresAt: start + hour } as const
  await repository.emailTokens.create(accountId, { ...token, hash: 'hash', email: user.email })
  await repository.mfa.enableEmail(accountId, user.id, someEvent(accountId))
  take()
  await repository.users.replace(
    accountId,
    user.id,
    changesTo(user, { passwordHash: 'new' }),
    null,
    someEvent(accountId),
  )
  await repository.emailTokens.resetPassword(accountId, 'hash', 'newer', start + 1, {
    reset: someEvent(accountId),
    ...someProof(accountId),
  })
  await repository.mfa.replaceRecoveryCodes(accountId, user.id, [nextId()], someEvent(accountId))
  await repository.mfa.remove(accountId, user.id, someEvent(accountId))
  await repository.users.setActive(accountId, user.id, false, start + 2, someEvent(accountId))
  const effects = take().filter(({ sql }) => /^with "changed"/.test(sql))
  await close()
  const connection = new Sqlite(database.url.slice('sqlite:'.length))
  const reads = effects.flatMap(({ sql }) => planOf(connection, sql))
  connection.close()
  await database.close()
  const ofTables = reads.filter((detail) => detail.includes(' clientele_'))
  expect(ofTables.length).toBeGreaterThan(6)
  expect(
    ofTables.filter((detail) => !/\(account_id=\? AND (user_id|id|hash|email)=\?/.test(detail)),
  ).toEqual([])
})

test('expired rows are deleted by their keys on SQLite, and not searched for among all others', async () => {
  const database = await openDatabase('sqlite')
  const { repository, take, close } = openRecorded(database.url)
  await repository.storage.migrate()
  const { accountId } = await newTenant(repository)
  await repository.users.create(accountId, newUser(), someEvent(accountId), newReply())
  await repository.rateLimits.add(accountId, 'key', 1, start, start + hour)
  take()
  await repository.storage.sweep(lowestId, { now: start + 1_000 * hour, eventsBefore: start })
  const deletions = take().filter(({ sql }) => /^delete from .*"account_id" =/.test(sql))
  await close()
  const connection = new Sqlite(database.url.slice('sqlite:'.length))
  const plans = deletions.map(({ sql }) => planOf(connection, sql)[0])
  connection.close()
  await database.close()
  expect(plans.length).toBeGreaterThan(2)
  expect(
    plans.filter((plan) => !/\(account_id=\? AND \w+=\?( AND \w+=\?)?\)/.test(plan ?? '')),
  ).toEqual([])
  expect(plans).toContainEqual(expect.stringMatching(/replies .*operation=\? AND key=\?\)/))
})

test("a person's stored responses and mailed codes are deleted by their keys on SQLite", async () => {
  const database = await openDatabase('sqlite')
  const { repository, take, close } = openRecorded(database.url)
  await repository.storage.migrate()
  const { accountId, user } = await newTenant(repository)
  const { keepAbout } = repository.idempotency
  for (let key = 0; key < 101; key++)
    await keepAbout(accountId, user.id, newReply({ key: `${key}` }), 'answer')
  take()
  const request = {
    inTurn: <T>(last: () => Promise<T>) => last(),
    eventOf: () => someEvent<'user.erased'>(accountId),
    countKeysOf: () => [],
    toAnswer: () => 0,
  }
  await repository.personalData.erase(accountId, user.id, request)
  const statements = take()
  await close()
  const connection = new Sqlite(database.url.slice('sqlite:'.length))
  const [ofReplies, ofCodes] = ['clientele_replies', 'clientele_sign_in_codes'].map((table) => {
    const { sql = '' } =
      statements.find(({ sql }) => sql.startsWith(`delete from "${table}"`)) ?? {}
    return planOf(connection, sql)[0]
  })
  connection.close()
  await database.close()
  expect(ofReplies).toMatch(/PRIMARY KEY \(account_id=\? AND operation=\? AND key=\?\)/)
  // Not by the user: codes for addresses that nobody has would all be read.
  expect(ofCodes).toMatch(/PRIMARY KEY \(account_id=\? AND email=\?\)/)
})

// A foreign key chooses its index by statistics. The plan does not show it, but the program that SQLite runs does.
test('rows of a deleted user are found by the user on SQLite, and not by the account', async () => {
  const database = await openDatabase('sqlite')
  const { repository, close } = openRecorded(database.url)
  await repository.storage.migrate()
  await close()
  const connection = new Sqlite(database.url.slice('sqlite:'.length))
  const steps = connection
    .prepare<unknown[], { opcode: string; p4: string | null }>(
      'explain delete from clientele_users where account_id = ? and id = ?',
    )
    .all('account', 'user')
  connection.close()
  await database.close()
  // `p4` is how many columns of the index are compared.
  const compared = steps.filter(({ opcode }) => opcode === 'SeekGE').map(({ p4 }) => p4)
  expect(compared.length).toBeGreaterThan(30)
  expect(new Set(compared)).toEqual(new Set(['2']))
})
