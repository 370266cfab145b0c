import {
  createAppendEvent,
  type EventValues,
  eventValues,
  recordEvent,
} from '../events/sql/record-event.ts'
import type { Database } from '../sql/database.ts'
import { type Db, run, type Transaction } from '../sql/db.ts'
import { writeWithEffects } from '../sql/write-with-effects.ts'
import type { UserKey } from '../users/store.ts'
import type { IdentityRecord, IdentityStore, LinkOutcome, NewIdentityRecord } from './store.ts'

const recordColumns = ['id', 'issuer', 'subject', 'created_at', 'last_used_at'] as const

export function createIdentityStore(db: Db): IdentityStore {
  const selectIdentities = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_identities')
      .select(recordColumns)
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .orderBy('id'),
  )
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const insertIdentity = writeWithEffects<NewIdentityRecord & { accountId: string } & EventValues>(
    db,
  )(
    (queries, value) =>
      queries
        .insertInto('clientele_identities')
        .values({
          account_id: value('accountId'),
          id: value('id'),
          user_id: value('userId'),
          issuer: value('issuer'),
          subject: value('subject'),
          created_at: value('createdAt'),
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'issuer', 'subject']).doNothing())
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const deleteIdentity = db.statement<UserKey & { id: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_identities')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('id'))
      .returning(recordColumns),
  )
  const appendEvent = createAppendEvent(db)

  return {
    list: async (accountId, userId) =>
      (await db.query(selectIdentities, { accountId, userId })).map(toRecord),
    link: (accountId, identity, { maximum, event }) =>
      db.transact(function* (): Transaction<LinkOutcome> {
        const { userId, issuer, subject } = identity
        // Those who link at once take turns, so that they count each other's.
        const [user] = yield* run(lockUser, { accountId, userId })
        if (user === undefined) return 'user_not_found'
        const rows = yield* run(selectIdentities, { accountId, userId })
        const same = rows.find((row) => row.issuer === issuer && row.subject === subject)
        if (same !== undefined) return toRecord(same)
        if (rows.length >= maximum) return 'identity_limit_reached'
        const input = { ...eventValues(event), accountId, ...identity }
        const [linked] = yield* insertIdentity.run(input)
        return linked === undefined ? 'identity_taken' : 'linked'
      }),
    unlink: (accountId, userId, id, eventOf) =>
      db.transact(function* () {
        const [row] = yield* run(deleteIdentity, { accountId, userId, id })
        if (row === undefined) return undefined
        const event = eventOf(toRecord(row))
        yield* run(appendEvent, { ...eventValues(event), accountId })
        return event
      }),
  }
}

function toRecord(
  row: Pick<Database['clientele_identities'], (typeof recordColumns)[number]>,
): IdentityRecord {
  const { created_at: createdAt, last_used_at: lastUsedAt, ...rest } = row
  return { ...rest, createdAt, lastUsedAt }
}
