import { isOfUserToken, type TokenSubject } from '../../../base/call/token-subject.ts'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { SubjectState } from '../../../user-model/subject-state.ts'
import type { UserKey } from '../store.ts'
import type { KnownSubjects } from './known-subjects.ts'
import {
  accountDisabledAt,
  liveSessionEnd,
  type SubjectKey,
  signingKey,
  toSubjectState,
} from './subject.ts'
import { userColumns } from './user-rows.ts'
import { createFindByUserToken } from './user-token-subject.ts'

/** In an SQLite database: finds the state of a subject that is not known yet. */
export function createFindSubject(db: Db) {
  const selectSubject = db.statement<UserKey & SubjectKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select('u.tokens_not_before')
      .select([
        liveSessionEnd(value('accountId'), value('sessionId'), value('now')),
        signingKey(value('accountId'), value('keyId')),
        accountDisabledAt(value('accountId')),
      ])
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId')),
  )
  const findByUserToken = createFindByUserToken(db)

  return function* findSubject(
    known: KnownSubjects,
    { accountId, now, subject }: { accountId: string; now: number; subject: TokenSubject },
  ): Transaction<SubjectState | undefined> {
    const found = known.find(accountId, subject, now)
    if (found !== undefined) return found
    if (isOfUserToken(subject)) {
      const state = yield* findByUserToken(accountId, subject)
      if (state !== undefined)
        known.keep(subject, { accountId, state, endsAt: Number.POSITIVE_INFINITY })
      return state
    }
    const { userId, sessionId, keyId = null } = subject
    const [row] = yield* run(selectSubject, { accountId, userId, sessionId, keyId, now })
    if (row === undefined) return undefined
    const { live_session_ends_at: endsAt } = row
    const live_session_id = endsAt === null ? null : sessionId
    const state = toSubjectState({ ...row, live_session_id }, subject)
    if (endsAt !== null) known.keep(subject, { accountId, state, endsAt })
    return state
  }
}
