import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { EventStore } from '../../events/store.ts'
import { createReplyKeeper } from '../../idempotency/sql/reply-keeper.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { createUserEffects } from '../../users/sql/user-effects.ts'
import type { UserKey } from '../../users/store.ts'
import type { ErasureRequest, PersonalDataStore } from '../store.ts'
import { createLeaveTaken } from './leave-taken.ts'
import { createShortenHistory } from './long-history.ts'
import { createSelectEmails, isAboutUser, toTypedPersons, uniteEmails } from './person-events.ts'
import {
  emptied,
  listRetained,
  type RemovedRows,
  type TableOfUser,
  tablesOfUser,
} from './register.ts'
import { createShortenRows, type EarlyRows } from './shorten-rows.ts'
import { createUntiedRows } from './untied-rows.ts'

export function createErasure(
  db: Db,
  counts: UserCounts,
  { findEnd }: Pick<EventStore, 'findEnd'>,
): Pick<PersonalDataStore, 'erase'> {
  const replies = createReplyKeeper(db)
  const selectEmails = createSelectEmails(db)
  const leaveTaken = createLeaveTaken(db)
  const shortenHistory = createShortenHistory(db)
  const shortenRows = createShortenRows(db)

  /** Locks the user: writes for the user wait from here on and then find no user. */
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  const countRows = db.statement<UserKey>()((queries, value) =>
    queries.selectNoFrom((of) =>
      tablesOfUser.map((table) =>
        of
          .selectFrom(table as 'clientele_sessions') // each of these tables has the columns
          .select(of.fn.countAll<number>().as('rows'))
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId'))
          .as(table),
      ),
    ),
  )
  const deleteUser = writeWithEffects<UserKey & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_users')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .returning(['account_id', 'id']),
    [createUserEffects(db).noteCount(-1), recordEvent(db)],
  )
  const emptyEvents = createEmptyEvents(db)
  const deleteUntied = createDeleteUntied(db)
  const { deleteCodes } = createUntiedRows(db)

  function* erase<Answer>(
    user: UserKey & { after: number },
    early: EarlyRows,
    { eventOf, countKeysOf, toAnswer }: ErasureRequest<Answer>,
  ): Transaction<Answer | undefined> {
    const [found] = yield* run(lockUser, user)
    if (found === undefined) return undefined
    const event = eventOf()
    const ofRows = yield* run(selectEmails.ofRows, user)
    // Pending ones first: others give them positions meanwhile, and each statement sees the state at its start.
    const ofPending = yield* run(selectEmails.ofPendingEvents, user)
    const ofLater = yield* run(selectEmails.ofLaterEvents, user)
    const emails = uniteEmails(ofRows, ofPending, ofLater)
    const own = yield* leaveTaken(user, emails)
    // First: those that no user had are not counted with the user's rows.
    const codes = yield* deleteCodes(user, own)
    const [rows] = yield* run(countRows, user)
    // Waits for writes that are ending a session: their events must be committed before events are emptied.
    yield* deleteUser.run({ ...user, ...eventValues(event) })
    yield* emptyEvents(user, toTypedPersons(emails))
    const untied = yield* deleteUntied(user, countKeysOf(own))
    const removed: RemovedRows = {
      clientele_users: 1,
      ...(rows as Record<TableOfUser, number>), // one row with a column per table
      ...untied,
    }
    removed.clientele_sign_in_codes += codes
    for (const [table, count] of Object.entries(early)) removed[table as keyof EarlyRows] += count // its own keys
    return toAnswer({ erasedAt: event.createdAt, removed, retained: listRetained() })
  }

  return {
    erase: async (accountId, userId, request, reply) => {
      // Without readers no event has a position yet, and the history would have no parts.
      await findEnd(accountId)
      const after = await shortenHistory({ accountId, userId })
      const early = await shortenRows({ accountId, userId }, request.countKeysOf)
      const user = { accountId, userId, after }
      const answer = await request.inTurn(() =>
        reply === undefined
          ? db.transact(() => erase(user, early, request))
          : replies.transact(function* () {
              const made = yield* erase(user, early, request)
              // Its user is gone.
              if (made !== undefined)
                yield* replies.keep(accountId, reply, { userId: null, answer: made })
              return made
            }),
      )
      if (answer !== undefined) counts.foldSometimes(accountId, userId)
      return answer
    },
  }
}

/** Empties the events about the user, and those that have the user's addresses. */
function createEmptyEvents(db: Db) {
  const empty = (queries: Queries, value: ParameterOf<UserKey>) =>
    queries
      .updateTable('clientele_events')
      .set(emptied)
      .where((of) => isAboutUser(of, value('accountId'), value('userId')))
      .where('person', 'is not', null)
  const emptyLaterEvents = db.statement<UserKey & { after: number }>()((queries, value) =>
    empty(queries, value).where('position', '>', value('after')),
  )
  const emptyPendingEvents = db.statement<UserKey>()((queries, value) =>
    empty(queries, value).where('position', 'is', null),
  )
  const { emptyTyped } = createUntiedRows(db)

  return function* emptyEvents(
    user: UserKey & { after: number },
    persons: string,
  ): Transaction<void> {
    // In this order: an event that gets its position in between, or while this waits for it, is found by the second.
    yield* run(emptyPendingEvents, user)
    yield* run(emptyLaterEvents, user)
    yield* emptyTyped(user, persons)
  }
}

/** Deletes the rows that do not end with the user's own row. */
function createDeleteUntied(db: Db) {
  const deleteReplies = db.statement<UserKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_replies')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .returning('key'),
  )
  const { deleteCounts } = createUntiedRows(db)

  return function* deleteUntied(
    user: UserKey,
    countKeys: readonly string[],
  ): Transaction<Pick<RemovedRows, 'clientele_replies' | 'clientele_rate_limits'>> {
    const replies = yield* run(deleteReplies, user)
    const counts = yield* deleteCounts(user.accountId, countKeys)
    return { clientele_replies: replies.length, clientele_rate_limits: counts }
  }
}
