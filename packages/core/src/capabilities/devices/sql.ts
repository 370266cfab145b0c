import { sql } from 'kysely'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { Db } from '../../sql/db.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import { createTell } from '../events/sql/write-and-tell.ts'
import { expectedNotBefore } from '../sessions/sql/expected-not-before.ts'
import { createDeleteAllOfUser } from '../users/sql/delete-all-of-user.ts'
import { createHasFactorsStill } from '../users/sql/has-factors-still.ts'
import { createLockUser } from '../users/sql/lock-user.ts'
import { withUserLocked } from '../users/sql/with-user-locked.ts'
import type { UserKey } from '../users/store.ts'
import { maxDevices } from './device.ts'
import type { DeviceStore, NewDevice } from './store.ts'

type DeviceKey = UserKey & { deviceId: string }

type Created = Awaited<ReturnType<DeviceStore['create']>>

const columns = ['id', 'name', 'created_at', 'last_used_at', 'expires_at'] as const

export function createDeviceStore(db: Db): DeviceStore {
  return {
    create: createDevice(db),
    find: findDevice(db),
    list: listDevices(db),
    delete: deleteDevice(db),
    deleteAll: createDeleteAllOfUser(db, 'clientele_devices'),
  }
}

function createDevice(db: Db): DeviceStore['create'] {
  const lockUser = createLockUser(db)
  const hasFactorsStill = createHasFactorsStill(db)
  const insertDevice = writeWithEffects<
    Omit<NewDevice, 'id'> &
      DeviceKey &
      EventValues & { passwordHash: string | null; tokensNotBefore: number | null }
  >(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_devices')
        .columns([
          ...(['account_id', 'id', 'user_id', 'name', 'created_at', 'last_used_at'] as const),
          ...(['expires_at', 'successor_seed', 'token_hash'] as const),
        ])
        .expression((of) =>
          of
            .selectFrom('clientele_users')
            .select([
              db.typed(value('accountId'), 'id').as('account_id'),
              db.typed(value('deviceId'), 'id').as('id'),
              'id as user_id',
              db.typed(value('name'), 'text').as('name'),
              db.typed(value('createdAt'), 'time').as('created_at'),
              db.typed(value('createdAt'), 'time').as('last_used_at'),
              db.typed(value('expiresAt'), 'time').as('expires_at'),
              db.typed(value('successorSeed'), 'text').as('successor_seed'),
              db.typed(value('tokenHash'), 'text').as('token_hash'),
            ])
            .where('account_id', '=', value('accountId'))
            .where('id', '=', value('userId'))
            .where('is_active', '=', true)
            .where('password_hash', 'is not distinct from', value('passwordHash'))
            .where('tokens_not_before', '=', expectedNotBefore(db, value('tokensNotBefore'))),
        )
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const deleteSurplus = db.statement<DeviceKey & { latest: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_devices')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('id'),
          of
            .selectFrom('clientele_devices')
            .select('id')
            .where('account_id', '=', value('accountId'))
            .where('user_id', '=', value('userId'))
            // Excludes the new device, even if the clock was set back.
            .where('id', '<>', value('deviceId'))
            // First those of a time when the clock was ahead
            .orderBy((of) =>
              of.case().when('last_used_at', '>', value('latest')).then(1).else(0).end(),
            )
            .orderBy('last_used_at', 'desc')
            .orderBy('id', 'desc')
            .limit(sql.lit(maxDevices))
            .offset(sql.lit(maxDevices - 1)),
        ),
      )
      .returning('id'),
  )
  const tell = createTell(db)

  return (accountId, { id: deviceId, ...device }, conditions, event, surplusEventOf) => {
    const { passwordHash, tokensNotBefore = null, factors } = conditions
    const input = { accountId, deviceId, ...device, passwordHash, tokensNotBefore }
    const key = { accountId, userId: device.userId }
    return db.transact(function* (): Transaction<Created> {
      // A concurrent change of the user, or of the factors, which locks the user, too, comes before or after. One that comes
      // after ends the device.
      yield* run(lockUser, key)
      if (factors !== undefined && !(yield* hasFactorsStill(key, factors))) return undefined
      const rows = yield* insertDevice.run({ ...eventValues(event), ...input })
      if (rows.length === 0) return undefined
      const latest = device.createdAt + maxSetBackMs
      const surplus = yield* run(deleteSurplus, { ...key, deviceId, latest })
      return { surplus: yield* tell(accountId, surplus, surplusEventOf) }
    })
  }
}

function findDevice(db: Db): DeviceStore['find'] {
  const selectDevice = db.statement<DeviceKey>()((queries, value) =>
    queries
      .selectFrom('clientele_devices')
      .select([...columns, 'successor_seed', 'token_hash'])
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('id', '=', value('deviceId')),
  )

  return async (accountId, userId, deviceId) => {
    const row = await db.queryOne(selectDevice, { accountId, userId, deviceId })
    if (row === undefined) return undefined
    const { successor_seed: successorSeed, token_hash: tokenHash } = row
    return { ...toRecord(row), successorSeed, tokenHash }
  }
}

function listDevices(db: Db): DeviceStore['list'] {
  const selectDevices = db.statement<UserKey & { now: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_devices')
      .select(columns)
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .where('expires_at', '>', value('now'))
      .orderBy('id')
      .limit(sql.lit(2 * maxDevices)),
  )

  return async (accountId, userId, now) =>
    (await db.query(selectDevices, { accountId, userId, now })).map(toRecord)
}

function deleteDevice(db: Db): DeviceStore['delete'] {
  const deleteOne = writeWithEffects<DeviceKey & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_devices')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('deviceId'))
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, userId, deviceId, event) =>
    (await deleteOne.execute({ ...eventValues(event), accountId, userId, deviceId })) !== undefined
}

function toRecord(row: {
  id: string
  name: string | null
  created_at: number
  last_used_at: number
  expires_at: number
}) {
  const { id, name, created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt } = row
  return { id, name, createdAt, lastUsedAt, expiresAt }
}
