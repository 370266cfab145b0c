import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { createEndChallenges } from '../../users/sql/end-challenges.ts'
import { createLockUser } from '../../users/sql/lock-user.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { UserKey } from '../../users/store.ts'
import type { IdentityStore, LinkOutcome } from '../store.ts'
import { createIdentitySignIn } from './identity-sign-in.ts'
import {
  createInsertIdentity,
  createSelectIdentities,
  identityColumns,
  toIdentityRecord,
} from './identity-statements.ts'

export function createIdentityStore(db: Db, counts: UserCounts): IdentityStore {
  return {
    list: listIdentities(db),
    link: linkIdentity(db),
    unlink: unlinkIdentity(db),
    ...createIdentitySignIn(db, counts),
  }
}

function listIdentities(db: Db): IdentityStore['list'] {
  const selectIdentities = createSelectIdentities(db)

  return async (accountId, userId) =>
    (await db.query(selectIdentities, { accountId, userId })).map(toIdentityRecord)
}

function linkIdentity(db: Db): IdentityStore['link'] {
  const selectIdentities = createSelectIdentities(db)
  const insertIdentity = createInsertIdentity(db)
  const lockUser = createLockUser(db)
  const appendEvent = createAppendEvent(db)

  return (accountId, identity, { maximum, event }) =>
    db.transact(function* (): Transaction<LinkOutcome> {
      const { userId, issuer, subject } = identity
      // Locks the user, so that concurrent links count each other.
      const [user] = yield* run(lockUser, { accountId, userId })
      if (user === undefined) return 'user_not_found'
      const rows = yield* run(selectIdentities, { accountId, userId })
      const same = rows.find((row) => row.issuer === issuer && row.subject === subject)
      if (same !== undefined) return toIdentityRecord(same)
      if (rows.length >= maximum) return 'identity_limit_reached'
      const [linked] = yield* run(insertIdentity, { accountId, ...identity })
      if (linked === undefined) return 'identity_taken'
      yield* run(appendEvent, { ...eventValues(event), accountId })
      return 'linked'
    })
}

function unlinkIdentity(db: Db): IdentityStore['unlink'] {
  const deleteIdentity = db.statement<UserKey & { id: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_identities')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('id'))
      .$call(withUserLocked(db, value))
      .returning(identityColumns),
  )
  const endChallenges = createEndChallenges(db)
  const appendEvent = createAppendEvent(db)

  return (accountId, userId, id, eventOf) =>
    db.transact(function* () {
      // A sign-in that began later would not be seen.
      db.driver.assertSeesLatest?.()
      const [row] = yield* run(deleteIdentity, { accountId, userId, id })
      if (row === undefined) return undefined
      yield* run(endChallenges, { accountId, userId })
      const event = eventOf(toIdentityRecord(row))
      yield* run(appendEvent, { ...eventValues(event), accountId })
      return event
    })
}
