import {
  isOfUserToken,
  type TokenSubject,
  type UserTokenSubject,
} from '../../../base/call/token-subject.ts'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import { gatherPerTick } from '../../../sql/gather-per-tick.ts'
import { readAccount, readAccountRow } from '../../../sql/read-account.ts'
import type { Transaction } from '../../../sql/statement.ts'
import type { UserRow } from '../../../sql/tables/tables.ts'
import { whileUnchanged } from '../../../sql/while-unchanged.ts'
import type { SubjectState } from '../../../user-model/subject-state.ts'
import type { Credentials, UserKey, UserStore } from '../store.ts'
import { KnownSubjects } from './known-subjects.ts'
import {
  accountDisabledAt,
  askedSubjects,
  liveSession,
  orderRows,
  type SubjectCall,
  type SubjectRow,
  signingKey,
  toSubjectState,
  toSubjectsInput,
  userOf,
} from './subject.ts'
import { createFindSubject } from './subject-in-process.ts'
import { toVersionedUser, userColumns, type VisibleUserRow } from './user-rows.ts'
import { createFindByUserTokens } from './user-token-subject.ts'

/** Reads one user, by id or by e-mail. */
export function createUserLookUps(
  db: Db,
): Pick<
  UserStore,
  | 'find'
  | 'findCredentials'
  | 'findSubject'
  | 'findSubjects'
  | 'findSubjectByEmail'
  | 'hasOwnSession'
  | 'findSubjectByIdentity'
> {
  const { findSubject, findSubjects } = db.features.isInProcess
    ? findSubjectsInProcess(db)
    : findSubjectsRemotely(db)

  return {
    find: findUser(db),
    findCredentials: findCredentials(db),
    findSubject,
    findSubjects,
    findSubjectByEmail: findSubjectByEmail(db),
    hasOwnSession: hasOwnSession(db),
    findSubjectByIdentity: findSubjectByIdentity(db),
  }
}

function findUser(db: Db): UserStore['find'] {
  const selectUser = db.statement<UserKey>()((queries, value) =>
    byKey(queries, value).select(userColumns),
  )

  return async (accountId, userId) => {
    const row = await readAccountRow(db, selectUser, { accountId, userId })
    return row && toVersionedUser(row)
  }
}

function findCredentials(db: Db): UserStore['findCredentials'] {
  const selectCredentials = db.statement<{ accountId: string; email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before'])
      .where('u.account_id', '=', value('accountId'))
      .where('u.email', '=', value('email')),
  )

  return async (accountId, email): Promise<Credentials | undefined> => {
    const row = await readAccountRow(db, selectCredentials, { accountId, email })
    return row && toCredentials(row)
  }
}

function hasOwnSession(db: Db): UserStore['hasOwnSession'] {
  const selectSession = db.statement<UserKey & { sessionId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_sessions')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('sessionId'))
      .where('impersonated_by', 'is', null),
  )

  return async (accountId, userId, sessionId) =>
    (await db.queryOne(selectSession, { accountId, userId, sessionId })) !== undefined
}

type SubjectLookUps = Pick<UserStore, 'findSubject' | 'findSubjects'>

/**
 * In an SQLite database: the look-ups of one tick, one after the other. Those of several subjects run at once, in the
 * turn of their request: gathered, the subjects of many requests would block the event loop for as long as all of them
 * take.
 */
function findSubjectsInProcess(db: Db): SubjectLookUps {
  const readKnown = whileUnchanged(db, () => new KnownSubjects())
  const findSubject = createFindSubject(db)

  /** Look-ups of single subjects, of any accounts */
  function* findInTurn(
    calls: readonly { accountId: string; now: number; subject: TokenSubject }[],
  ): Transaction<(SubjectState | undefined)[]> {
    const known = readKnown()
    const found: (SubjectState | undefined)[] = []
    for (const call of calls) found.push(yield* findSubject(known, call))
    return found
  }
  const find = gatherPerTick((calls: Parameters<typeof findInTurn>[0]) =>
    // For a single call a transaction would cost as much as it saves.
    calls.length > 1
      ? db.readTogether(() => findInTurn(calls))
      : db.readInTurn(() => findInTurn(calls)),
  )

  return {
    findSubject: (accountId, now, subject) => find({ accountId, now, subject }),
    findSubjects: async (accountId, now, subjects) => {
      if (subjects.length === 0) return []
      const calls = subjects.map((subject) => ({ accountId, now, subject }))
      return db.readTogether(() => findInTurn(calls))
    },
  }
}

/** On a database server: simultaneous look-ups in an account share a round trip. */
function findSubjectsRemotely(db: Db): SubjectLookUps {
  const findTogether = createFindTogether(db)
  const findByUserTokens = createFindByUserTokens(db)
  const loader = new BatchLoader<SubjectCall, SubjectState | undefined>(findTogether)
  const byHash = new BatchLoader<UserTokenSubject, SubjectState | undefined>(
    (accountId, subjects) => findByUserTokens(accountId, 'hash', subjects),
  )
  const byId = new BatchLoader<UserTokenSubject, SubjectState | undefined>((accountId, subjects) =>
    findByUserTokens(accountId, 'id', subjects),
  )

  return {
    findSubject: (accountId, now, subject) => {
      if (!isOfUserToken(subject)) return loader.load(accountId, { now, subject })
      return (subject.by === 'hash' ? byHash : byId).load(accountId, subject)
    },
    findSubjects: async (accountId, now, subjects) => {
      const ofUserTokens = subjects.filter(isOfUserToken)
      const ofSessions = subjects.flatMap((subject) => (isOfUserToken(subject) ? [] : [subject]))
      const hashes = ofUserTokens.filter(({ by }) => by === 'hash')
      const ids = ofUserTokens.filter(({ by }) => by === 'id')
      const calls = ofSessions.map((subject) => ({ now, subject }))
      const found = await Promise.all([
        calls.length === 0 ? [] : findTogether(accountId, calls),
        hashes.length === 0 ? [] : findByUserTokens(accountId, 'hash', hashes),
        ids.length === 0 ? [] : findByUserTokens(accountId, 'id', ids),
      ])
      const states = found.flat()
      const asked: TokenSubject[] = [...ofSessions, ...hashes, ...ids]
      const stateOf = new Map(asked.map((subject, index) => [subject, states[index]]))
      return subjects.map((subject) => stateOf.get(subject))
    },
  }
}

/** Finds several subjects of an account with one statement. */
function createFindTogether(db: Db) {
  const selectSubjects = db.statement<{ accountId: string; subjects: string; now: number }>()(
    (queries, value) =>
      queries
        .selectFrom(askedSubjects(db.features, value('subjects')).as('r'))
        .innerJoinLateral(
          (of) => userOf(value('accountId'), of.ref('r.asked_user_id')),
          (join) => join.onTrue(),
        )
        .select('r.place')
        .select(userColumns)
        .select('u.tokens_not_before')
        .select((of) => [
          liveSession(value('accountId'), of.ref('r.asked_session_id'), value('now')),
          signingKey(value('accountId'), of.ref('r.asked_key_id')),
          accountDisabledAt(value('accountId')),
        ]),
  )

  return async function findTogether(accountId: string, calls: readonly SubjectCall[]) {
    const rows = await readAccount(db, selectSubjects, { accountId, ...toSubjectsInput(calls) })
    const ordered = orderRows(rows)
    return calls.map(({ subject }, place) => {
      const row = ordered[place]
      return row && toSubjectState(row, subject)
    })
  }
}

function findSubjectByEmail(db: Db): UserStore['findSubjectByEmail'] {
  const selectSubjectByEmail = db.statement<{ accountId: string; email: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        .select('u.tokens_not_before')
        .select(accountDisabledAt(value('accountId')))
        .where('u.account_id', '=', value('accountId'))
        .where('u.email', '=', value('email')),
  )

  return async (accountId, email): Promise<SubjectState | undefined> => {
    const row = await readAccountRow(db, selectSubjectByEmail, { accountId, email })
    return row && toNamedState(row)
  }
}

function findSubjectByIdentity(db: Db): UserStore['findSubjectByIdentity'] {
  const selectSubjectByIdentity = db.statement<IdentityName>()((queries, value) =>
    byIdentity(queries, value)
      .select(userColumns)
      .select('u.tokens_not_before')
      .select(accountDisabledAt(value('accountId'))),
  )

  return async (accountId, issuer, subject) => {
    const row = await db.queryOne(selectSubjectByIdentity, { accountId, issuer, subject })
    return row && toNamedState(row)
  }
}

export function toCredentials(
  row: VisibleUserRow & Pick<UserRow, 'password_hash' | 'tokens_not_before'>,
): Credentials {
  const { password_hash: passwordHash, tokens_not_before: tokensNotBefore } = row
  return { ...toVersionedUser(row), passwordHash, tokensNotBefore }
}

/** For a user who is named by an e-mail or an identity, not by a session */
function toNamedState(row: Omit<SubjectRow, 'live_session_id' | 'signing_key_id'>): SubjectState {
  const anyToken = { userId: row.id, sessionId: null }
  return toSubjectState({ ...row, live_session_id: null, signing_key_id: null }, anyToken)
}

export interface IdentityName {
  accountId: string
  issuer: string
  subject: string
}

/** The user `u` who has the identity `i` */
export function byIdentity(queries: Queries, value: ParameterOf<IdentityName>) {
  return queries
    .selectFrom('clientele_identities as i')
    .innerJoin('clientele_users as u', (join) =>
      join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 'i.user_id'),
    )
    .where('i.account_id', '=', value('accountId'))
    .where('i.issuer', '=', value('issuer'))
    .where('i.subject', '=', value('subject'))
}

function byKey(queries: Queries, value: ParameterOf<UserKey>) {
  return queries
    .selectFrom('clientele_users as u')
    .where('u.account_id', '=', value('accountId'))
    .where('u.id', '=', value('userId'))
}
