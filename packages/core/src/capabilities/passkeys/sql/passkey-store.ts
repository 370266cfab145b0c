import type { Db } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { deleteChallenges } from '../../users/sql/delete-challenges.ts'
import { deleteLeftoverCodes } from '../../users/sql/end-leftover-codes.ts'
import { toVersionedUser, userColumns } from '../../users/sql/user-rows.ts'
import { withUserLocked } from '../../users/sql/with-user-locked.ts'
import type { UserKey } from '../../users/store.ts'
import type { PasskeyStore } from '../store.ts'
import { createCeremonyQueries } from './ceremony-queries.ts'
import { createConfigure } from './configure.ts'
import { createEnrolment } from './enrolment.ts'
import { passkeyColumns, toPasskeyRecord } from './passkey-rows.ts'

export function createPasskeyStore(db: Db): PasskeyStore {
  return {
    configure: createConfigure(db),
    list: listPasskeys(db),
    listByEmail: listByEmail(db),
    findByCredential: findByCredential(db),
    rename: renamePasskey(db),
    remove: removePasskey(db),
    noteUse: noteUse(db),
    enrol: createEnrolment(db),
    ...createCeremonyQueries(db),
  }
}

function createSelectByUser(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_passkeys as p')
      .select(passkeyColumns)
      .where('p.account_id', '=', value('accountId'))
      .where('p.user_id', '=', value('userId'))
      .orderBy('p.id'),
  )
}

function listPasskeys(db: Db): PasskeyStore['list'] {
  const selectByUser = createSelectByUser(db)

  return async (accountId, userId) =>
    (await db.query(selectByUser, { accountId, userId })).map(toPasskeyRecord)
}

function listByEmail(db: Db): PasskeyStore['listByEmail'] {
  const selectByEmail = db.statement<{ accountId: string; email: string; rpId: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .innerJoin('clientele_passkeys as p', (join) =>
          join
            .on('p.account_id', '=', value('accountId'))
            .onRef('p.user_id', '=', 'u.id')
            .on('p.use', '=', 'first_factor')
            .on('p.rp_id', '=', value('rpId')),
        )
        .select('p.credential_id')
        .where('u.account_id', '=', value('accountId'))
        .where('u.email', '=', value('email'))
        .orderBy('p.id'),
  )

  return async (accountId, email, rpId) => {
    const rows = await db.query(selectByEmail, { accountId, email, rpId })
    return rows.map((row) => row.credential_id)
  }
}

function findByCredential(db: Db): PasskeyStore['findByCredential'] {
  const selectByCredential = db.statement<{ accountId: string; credentialId: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_passkeys as p')
        .select(passkeyColumns)
        .where('p.account_id', '=', value('accountId'))
        .where('p.credential_id', '=', value('credentialId')),
  )
  const selectUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before'])
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', '=', value('userId')),
  )

  return async (accountId, credentialId) => {
    const row = await db.queryOne(selectByCredential, { accountId, credentialId })
    if (row === undefined) return undefined
    const passkey = toPasskeyRecord(row)
    const user = await db.queryOne(selectUser, { accountId, userId: passkey.userId })
    if (user === undefined) return undefined
    const { password_hash: passwordHash, tokens_not_before: tokensNotBefore } = user
    return { passkey, user: toVersionedUser(user).user, passwordHash, tokensNotBefore }
  }
}

function renamePasskey(db: Db): PasskeyStore['rename'] {
  const selectByUser = createSelectByUser(db)
  const rename = writeWithEffects<UserKey & { id: string; name: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_passkeys')
        .set({ name: value('name') })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('id'))
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, userId, id, name, event) => {
    const renamed = await rename.execute({ ...eventValues(event), accountId, userId, id, name })
    if (renamed === undefined) return undefined
    const rows = await db.query(selectByUser, { accountId, userId })
    return rows.map(toPasskeyRecord).find((passkey) => passkey.id === id)
  }
}

function removePasskey(db: Db): PasskeyStore['remove'] {
  type Changed = { account_id: string; id: string; user_id: string; use: string }
  /** A remembered device stands for the second factors that there were. */
  const deleteDevices: Effect<UserKey, Changed> = (queries, value) =>
    queries
      .deleteFrom('clientele_devices')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) =>
        of.exists(of.selectFrom('changed').select('id').where('use', '=', 'second_factor')),
      )
  const noteChange: Effect<UserKey & EventValues, Changed> = (queries, value) =>
    queries
      .updateTable('clientele_mfa_factors')
      .set({ changed_by: value('eventId') })
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where((of) =>
        of.exists(of.selectFrom('changed').select('id').where('use', '=', 'second_factor')),
      )
  const remove = writeWithEffects<UserKey & { id: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_passkeys')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('id'))
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id', 'user_id', 'use']),
    [deleteDevices, deleteLeftoverCodes, noteChange, deleteChallenges(db), recordEvent(db)],
    {
      columns: { account_id: 'id', id: 'id', user_id: 'id', use: 'text' },
      seesLatest: true,
    },
  )

  return async (accountId, userId, id, event) =>
    (await remove.execute({ ...eventValues(event), accountId, userId, id })) !== undefined
}

function noteUse(db: Db): PasskeyStore['noteUse'] {
  const updateUse = db.statement<{
    accountId: string
    id: string
    counter: number
    backedUp: boolean
    at: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_passkeys')
      .set({ counter: value('counter'), backed_up: value('backedUp'), last_used_at: value('at') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where((of) =>
        of.or([
          of('is_synced', '=', true),
          of('counter', '<', value('counter')),
          // Authenticators without a counter send 0.
          of.and([of('counter', '=', 0), of(db.typed(value('counter'), 'counter'), '=', 0)]),
        ]),
      )
      .returning('id'),
  )

  return async (accountId, id, use) =>
    (await db.queryOne(updateUse, { accountId, id, ...use })) !== undefined
}
