import { type Expression, expressionBuilder, sql } from 'kysely'
import { isOfUserToken, type TokenSubject } from '../../../base/call/token-subject.ts'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import { gatherPerTick } from '../../../sql/gather-per-tick.ts'
import { readAccount } from '../../../sql/read-account.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { whileUnchanged } from '../../../sql/while-unchanged.ts'
import { KnownSubjects } from '../../users/sql/known-subjects.ts'
import {
  askedSubjects,
  liveSession,
  orderRows,
  type SubjectCall,
  type SubjectRow,
  signingKey,
  toSubjectState,
  toSubjectsInput,
  userOf,
} from '../../users/sql/subject.ts'
import { createFindSubject } from '../../users/sql/subject-in-process.ts'
import { userColumns } from '../../users/sql/user-rows.ts'
import type { ApiKeyMatch, ApiKeyStore } from '../store.ts'
import { createKeyAndUserTokenLookUp } from './key-and-user-tokens.ts'
import { accountOfKey, type KeyValues, keyColumns, type ToHolder, toMatch } from './key-rows.ts'
import { createIsKnownKey } from './known-keys.ts'

/** How many keys are kept while nothing in the database changes */
const maxKnownKeys = 1_000

/** Finds an API key by its hash and, in the same round trip, the subject of a token. */
export function createApiKeyLookUp(db: Db): Pick<ApiKeyStore, 'findByHash'> {
  return { findByHash: db.features.isInProcess ? findInProcess(db) : findRemotely(db) }
}

/** In an SQLite database: the look-ups of one tick, one after the other. */
function findInProcess(db: Db): ApiKeyStore['findByHash'] {
  const keyByHash = createKeyByHash(db, { isOfAccount: false, withRules: true })
  const keyOfToken = createKeyByHash(db, { isOfAccount: false, withRules: false })
  const findSubject = createFindSubject(db)
  const readKnown = whileUnchanged(db, () => ({
    keys: new Map<string, ApiKeyMatch>(),
    subjects: new KnownSubjects(),
  }))

  /** Calls with the same key share one look-up. */
  function* findInTurn(calls: readonly KeyCall[]): Transaction<(ApiKeyMatch | undefined)[]> {
    const { keys, subjects } = readKnown()
    const unknown = new Set<string>()
    const found: (ApiKeyMatch | undefined)[] = []
    for (const { hash, now, subject } of calls) {
      const name = subject === undefined ? hash : `token ${hash}`
      let match = keys.get(name)
      if (match === undefined && !unknown.has(name)) {
        const statement = subject === undefined ? keyByHash : keyOfToken
        const [row] = yield* run(statement, { hash, accountId: '' })
        match = row && toMatch(row)
        if (match === undefined) unknown.add(name)
        else if (keys.size < maxKnownKeys) keys.set(name, match)
      }
      if (match === undefined || subject === undefined) {
        found.push(match)
        continue
      }
      const { accountId } = match
      const state = yield* findSubject(subjects, { accountId, now, subject })
      found.push({ ...match, subject: state })
    }
    return found
  }
  const find = gatherPerTick((calls: readonly KeyCall[]) =>
    // For a single call a transaction would cost as much as it saves.
    calls.length > 1
      ? db.readTogether(() => findInTurn(calls))
      : db.readInTurn(() => findInTurn(calls)),
  )

  return (hash, now, subject) => find({ hash, now, subject })
}

/**
 * On a database server: simultaneous look-ups share a round trip, those with subjects if they have the same key. The first
 * look-up of a key takes one more.
 */
function findRemotely(db: Db): ApiKeyStore['findByHash'] {
  const isKnown = createIsKnownKey(db)
  const key = {
    ofAny: createKeyByHash(db, { isOfAccount: false, withRules: true }),
    ofOne: createKeyByHash(db, { isOfAccount: true, withRules: true }),
  }
  const findWithUserToken = createKeyAndUserTokenLookUp(db)
  const keyAndSubjects = {
    ofAny: createKeyAndSubjects(db, { isOfAccount: false }),
    ofOne: createKeyAndSubjects(db, { isOfAccount: true }),
  }
  const keysByHashes = createKeysByHashes(db)
  type Named = Pick<KeyCall, 'hash'> & { accountId: string | undefined; toHolder: ToHolder }
  const loader = new BatchLoader<SubjectCall & Named, ApiKeyMatch | undefined>(async (_, calls) => {
    const { hash = '', accountId, toHolder } = calls[0] ?? {} // there is one, and all have the same
    const input = { hash, accountId: accountId ?? toHolder?.() ?? '', ...toSubjectsInput(calls) }
    const found = await (accountId === undefined
      ? db.query(keyAndSubjects.ofAny, input)
      : readAccount(db, keyAndSubjects.ofOne, input))
    const match = found[0] && toMatch(found[0])
    if (match === undefined) return calls.map(() => undefined)
    const rows = orderRows(found)
    return calls.map(({ subject }, place) => {
      const row = rows[place]
      if (row === undefined || row.id === null) return match
      // An outer join: either all of its columns are null or none.
      return { ...match, subject: toSubjectState(row as unknown as SubjectRow, subject) }
    })
  })
  const keyLoader = new BatchLoader<Named, ApiKeyMatch | undefined>(async (_, calls) => {
    const { hash = '', accountId } = calls[0] ?? {} // there is one; the others may have other hashes
    const hashes = new Set(calls.map((call) => call.hash))
    if (hashes.size > 1) {
      const rows = await db.query(keysByHashes, { hashes: JSON.stringify([...hashes]) })
      const matches = new Map(rows.map((row) => [row.hash, toMatch(row)]))
      return calls.map((call) => matches.get(call.hash))
    }
    const [row] = await (accountId === undefined
      ? db.query(key.ofAny, { hash, accountId: '' })
      : readAccount(db, key.ofOne, { hash, accountId }))
    const match = row && toMatch(row)
    return calls.map(() => match)
  })
  return async (hash, now, subject, toAccountId) => {
    // If tables are not distributed, the index of hashes alone finds a key fastest, and does not depend on statistics.
    const accountId = db.isDistributed ? toAccountId?.() : undefined
    if (accountId === undefined && !(await isKnown(hash))) return undefined
    const lane = accountId === undefined ? hash : `${accountId} ${hash}`
    if (subject !== undefined && isOfUserToken(subject))
      return findWithUserToken(lane, { hash, accountId, toHolder: toAccountId, subject })
    const named = { hash, accountId, toHolder: toAccountId }
    if (subject !== undefined) return loader.load(lane, { now, subject, ...named })
    // Those of all accounts share statements: one account's key would wait for the look-ups of many others.
    return keyLoader.load(accountId === undefined ? '' : lane, named)
  }
}

function createKeyAndSubjects(db: Db, { isOfAccount }: { isOfAccount: boolean }) {
  return db.statement<KeyValues & { subjects: string; now: number }>()((queries, value) => {
    const accountId: Expression<string> = isOfAccount
      ? value('accountId')
      : sql.ref<string>('k.account_id')
    return queries
      .selectFrom('clientele_api_keys as k')
      .innerJoinLateral(
        () => accountOfKey(accountId),
        (join) => join.onTrue(),
      )
      .select(keyColumns)
      .select('a.disabled_at as account_disabled_at')
      .leftJoin(askedSubjects(db.features, value('subjects')).as('r'), (join) => join.onTrue())
      .leftJoinLateral(
        (of) => userOf(accountId, of.ref('r.asked_user_id')),
        (join) => join.onTrue(),
      )
      .select('r.place')
      .select(userColumns)
      .select('u.tokens_not_before')
      .select((of) => [
        liveSession(accountId, of.ref('r.asked_session_id'), value('now')),
        signingKey(accountId, of.ref('r.asked_key_id')),
      ])
      .$if(isOfAccount, (query) => query.where('k.account_id', '=', value('accountId')))
      .where('k.hash', '=', value('hash'))
  })
}

/** Without rules it is cheaper: requests about a token need none. */
function createKeyByHash(
  db: Db,
  { isOfAccount, withRules }: { isOfAccount: boolean; withRules: boolean },
) {
  return db.statement<KeyValues>()((queries, value) => {
    const account = accountColumns(isOfAccount ? value('accountId') : sql.ref('k.account_id'))
    return queries
      .selectFrom('clientele_api_keys as k')
      .select(keyColumns)
      .select(account.disabledAt)
      .$if(withRules, (query) => query.select(account.rules))
      .$if(isOfAccount, (query) => query.where('k.account_id', '=', value('accountId')))
      .where('k.hash', '=', value('hash'))
  })
}

/** The keys with any of the hashes, a list in JSON */
function createKeysByHashes(db: Db) {
  return db.statement<{ hashes: string }>()((queries, value) => {
    const account = accountColumns(sql.ref('k.account_id'))
    return queries
      .selectFrom('clientele_api_keys as k')
      .select(['k.hash', ...keyColumns])
      .select(account.disabledAt)
      .select(account.rules)
      .where((of) =>
        db.features.isAmong(
          of.ref('k.hash'),
          of.selectFrom(db.features.textsOfJsonArray(value('hashes')).as('h')).select('h.value'),
        ),
      )
  })
}

/** As scalar subqueries: a join takes SQLite several times as long. */
function accountColumns(accountId: Expression<string>) {
  const account = expressionBuilder<Database>()
    .selectFrom('clientele_accounts as a')
    .where('a.id', '=', accountId)
  return {
    disabledAt: account.select('a.disabled_at').as('account_disabled_at'),
    rules: [
      account.select('a.allowed_roles').as('allowed_roles'),
      account.select('a.policy').as('policy'),
    ] as const,
  }
}

interface KeyCall {
  hash: string
  now: number
  subject: TokenSubject | undefined
}
