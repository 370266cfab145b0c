import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { QueryCreator } from 'kysely'
import { BatchLoader } from '../../sql/batch-loader.ts'
import type { Db, ParameterOf } from '../../sql/db.ts'
import { ConstraintViolation } from '../../sql/driver.ts'
import { mapRecords } from '../../sql/record-mapper.ts'
import { run } from '../../sql/statement.ts'
import type { Database } from '../../sql/tables/tables.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import type { SigningKeyRecord, SigningKeyStore } from './store.ts'

/** How many look-ups of an account continue in one turn of the event loop */
const lookUpsOfTurn = 100

interface KeyName {
  accountId: string
  id: string
}
type NewKey = SigningKeyRecord & EventValues
type Change = KeyName & EventValues

const keys = mapRecords<SigningKeyRecord>()('clientele_signing_keys', 'account_id')

export function createSigningKeyStore(db: Db): SigningKeyStore {
  return {
    list: listKeys(db),
    addFirst: addFirstKey(db),
    rotate: rotateKey(db),
    retire: retireKey(db),
    remove: removeKey(db),
    raiseTokenLife: raiseTokenLife(db),
    listAccounts: listAccounts(db),
  }
}

/** A key's id is a text. */
const changedColumns = { account_id: 'id', id: 'text' } as const

function listKeys(db: Db): SigningKeyStore['list'] {
  const selectKeys = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_signing_keys')
      .select([
        'id',
        'algorithm',
        'public_jwk as publicJwk',
        'encrypted_private_jwk as encryptedPrivateJwk',
        'encrypted_under as encryptedUnder',
        'created_at as createdAt',
        'signs_at as signsAt',
        'retired_at as retiredAt',
        'token_life_seconds as tokenLifeSeconds',
      ])
      .where('account_id', '=', value('accountId'))
      .orderBy('created_at')
      .orderBy('signs_at')
      .orderBy('id'),
  )
  // Look-ups of unknown key ids are cheap, however many arrive at once.
  const loader = new BatchLoader<undefined, SigningKeyRecord[]>(
    async (accountId, calls) => {
      const keys = await db.query(selectKeys, { accountId })
      // SQLite answers in the same turn of the event loop, and what follows for thousands of calls would hold it.
      await endOfTurn()
      return calls.map(() => keys)
    },
    lookUpsOfTurn,
    1,
  )

  return (accountId) => loader.load(accountId, undefined)
}

function addFirstKey(db: Db): SigningKeyStore['addFirst'] {
  const insertKeyIfFirst = writeWithEffects<NewKey>(db)(
    (queries, value) =>
      insertRecord(queries, value)
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'algorithm']).where('retired_at', 'is', null).doNothing(),
        )
        .returning(['account_id', 'id']),
    [recordEvent(db)],
    { columns: changedColumns },
  )

  return async (accountId, key, event) => {
    try {
      const values = { ...eventValues(event), ...key, accountId, retiredAt: null }
      return (await insertKeyIfFirst.execute(values)) !== undefined
    } catch (error) {
      if (isViolated(error, 'foreign_key')) return 'account_not_found'
      throw error
    }
  }
}

function rotateKey(db: Db): SigningKeyStore['rotate'] {
  const insertKey = writeWithEffects<NewKey>(db)(
    (queries, value) => insertRecord(queries, value).returning(['account_id', 'id']),
    [recordEvent(db)],
    { columns: changedColumns },
  )
  /** The rotation writes the event */
  const lockLatest = db.statement<KeyName & { at: number }>()((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ retired_at: value('at') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where('retired_at', 'is', null)
      .returning('id'),
  )
  const retireOthers = db.statement<{ accountId: string; algorithm: string; at: number }>()(
    (queries, value) => retireAt(queries, value).where('algorithm', '=', value('algorithm')),
  )

  return async (accountId, key, latestId, event) => {
    try {
      return await db.transact(function* () {
        const at = key.signsAt
        const [latest] = yield* run(lockLatest, { accountId, id: latestId, at })
        if (latest === undefined) return false
        yield* run(retireOthers, { accountId, algorithm: key.algorithm, at })
        yield* insertKey.run({ ...eventValues(event), ...key, accountId, retiredAt: null })
        return true
      })
    } catch (error) {
      // Another process has just added a key of this algorithm.
      if (isViolated(error, 'unique')) return false
      throw error
    }
  }
}

function retireKey(db: Db): SigningKeyStore['retire'] {
  const retire = writeWithEffects<Change & { at: number }>(db)(
    (queries, value) => retireAt(queries, value).where('id', '=', value('id')),
    [recordEvent(db)],
    { columns: changedColumns },
  )

  return async (accountId, id, at, event) =>
    (await retire.execute({ ...eventValues(event), accountId, id, at })) !== undefined
}

function removeKey(db: Db): SigningKeyStore['remove'] {
  const deleteKey = writeWithEffects<Change>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_signing_keys')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
    { columns: changedColumns },
  )

  return async (accountId, id, event) =>
    (await deleteKey.execute({ ...eventValues(event), accountId, id })) !== undefined
}

function raiseTokenLife(db: Db): SigningKeyStore['raiseTokenLife'] {
  const raiseLife = db.statement<KeyName & { seconds: number }>()((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ token_life_seconds: value('seconds') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where('token_life_seconds', '<', value('seconds')),
  )

  return async (accountId, id, seconds) => {
    await db.query(raiseLife, { accountId, id, seconds })
  }
}

function listAccounts(db: Db): SigningKeyStore['listAccounts'] {
  const selectAccounts = db.statement<{ after: string; limit: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_signing_keys')
      .select('account_id as accountId')
      .distinct()
      .where('account_id', '>', value('after'))
      .orderBy('account_id')
      .limit(value('limit')),
  )

  return async (after, limit) => {
    const rows = await db.query(selectAccounts, { after, limit })
    return rows.map(({ accountId }) => accountId)
  }
}

/** Retires the keys at a time; an end that is later than that time becomes earlier. */
function retireAt(
  queries: QueryCreator<Database>,
  value: ParameterOf<{ accountId: string; at: number }>,
) {
  return queries
    .updateTable('clientele_signing_keys')
    .set({ retired_at: value('at') })
    .where('account_id', '=', value('accountId'))
    .where((of) => of.or([of('retired_at', 'is', null), of('retired_at', '>', value('at'))]))
    .returning(['account_id', 'id'])
}

function insertRecord(
  queries: QueryCreator<Database>,
  value: ParameterOf<SigningKeyRecord & { accountId: string }>,
) {
  return queries.insertInto('clientele_signing_keys').values({
    account_id: value('accountId'),
    ...keys.assign(value),
  })
}

function isViolated(error: unknown, kind: ConstraintViolation['kind']): boolean {
  return error instanceof ConstraintViolation && error.kind === kind
}
