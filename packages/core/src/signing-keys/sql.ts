import type { QueryCreator } from 'kysely'
import type { NewEvent } from '../events/new-event.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import { serviceFeedId } from '../input/id.ts'
import type { Database } from '../sql/database.ts'
import { ConstraintViolation, type Db, type ParameterOf, run } from '../sql/db.ts'
import { writeWithEffects } from '../sql/write-with-effects.ts'
import type { SigningKeyRecord, SigningKeyStore } from './store.ts'

type KeyWithEvent = SigningKeyRecord & EventValues

const columns = { id: 'text' } as const

export function createSigningKeyStore(db: Db): SigningKeyStore {
  const selectKeys = db.statement<object>()((queries) =>
    queries
      .selectFrom('clientele_signing_keys')
      .select([
        'id',
        'algorithm',
        'public_jwk as publicJwk',
        'encrypted_private_jwk as encryptedPrivateJwk',
        'created_at as createdAt',
        'retired_at as retiredAt',
        'token_life_seconds as tokenLifeSeconds',
      ])
      .orderBy('created_at')
      .orderBy('id'),
  )
  const record = [recordEvent(db)]
  const insertKey = writeWithEffects<KeyWithEvent>(db)(
    (queries, value) => insertRecord(queries, value).returning('id'),
    record,
    { columns },
  )
  const insertKeyIfFirst = writeWithEffects<KeyWithEvent>(db)(
    (queries, value) =>
      insertRecord(queries, value)
        .onConflict((conflict) =>
          conflict.columns(['algorithm']).where('retired_at', 'is', null).doNothing(),
        )
        .returning('id'),
    record,
    { columns },
  )
  const retire = (
    queries: QueryCreator<Database>,
    value: ParameterOf<{ id: string; at: number }>,
  ) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ retired_at: value('at') })
      .where('id', '=', value('id'))
      .where('retired_at', 'is', null)
      .returning('id')
  const retireKey = writeWithEffects<{ id: string; at: number } & EventValues>(db)(retire, record, {
    columns,
  })
  /** The event is the rotation's */
  const replaceKey = db.statement<{ id: string; at: number }>()(retire)
  const deleteKey = writeWithEffects<{ id: string } & EventValues>(db)(
    (queries, value) =>
      queries.deleteFrom('clientele_signing_keys').where('id', '=', value('id')).returning('id'),
    record,
    { columns },
  )
  const deleteDead = db.statement<{ at: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_signing_keys')
      .where((of) => of('retired_at', '+', of('token_life_seconds', '*', 1000)), '<=', value('at')),
  )
  const raiseLife = db.statement<{ id: string; seconds: number }>()((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ token_life_seconds: value('seconds') })
      .where('id', '=', value('id'))
      .where('token_life_seconds', '<', value('seconds')),
  )
  const reencrypt = db.statement<{ id: string; oldEncrypted: string; newEncrypted: string }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_signing_keys')
        .set({ encrypted_private_jwk: value('newEncrypted') })
        .where('id', '=', value('id'))
        .where('encrypted_private_jwk', '=', value('oldEncrypted')),
  )
  return {
    rotate: async (key, activeKeyId, retiredAt, event) => {
      try {
        return await db.transact(function* () {
          const [retired] = yield* run(replaceKey, { id: activeKeyId, at: retiredAt })
          if (retired !== undefined)
            yield* insertKey.run({ ...eventOfService(event), ...key, retiredAt: null })
          return retired !== undefined
        })
      } catch (error) {
        // Another process has added a key of this algorithm at the same moment.
        if (error instanceof ConstraintViolation && error.kind === 'unique') return false
        throw error
      }
    },
    retire: async (id, at, event) =>
      (await retireKey.execute({ ...eventOfService(event), id, at })) !== undefined,
    remove: async (id, event) =>
      (await deleteKey.execute({ ...eventOfService(event), id })) !== undefined,
    deleteExpired: async (at) => {
      await db.query(deleteDead, { at })
    },
    raiseTokenLife: async (id, seconds) => {
      await db.query(raiseLife, { id, seconds })
    },
    reencrypt: async (id, oldEncrypted, newEncrypted) => {
      await db.query(reencrypt, { id, oldEncrypted: oldEncrypted, newEncrypted: newEncrypted })
    },
    list: () => db.query(selectKeys, {}),
    addFirst: async (key, event) =>
      (await insertKeyIfFirst.execute({ ...eventOfService(event), ...key, retiredAt: null })) !==
      undefined,
  }
}

function insertRecord(queries: QueryCreator<Database>, value: ParameterOf<SigningKeyRecord>) {
  return queries.insertInto('clientele_signing_keys').values({
    id: value('id'),
    algorithm: value('algorithm'),
    public_jwk: value('publicJwk'),
    encrypted_private_jwk: value('encryptedPrivateJwk'),
    created_at: value('createdAt'),
    retired_at: value('retiredAt'),
    token_life_seconds: value('tokenLifeSeconds'),
  })
}

/** Signing keys belong to no account. */
function eventOfService(event: NewEvent): EventValues {
  return { accountId: serviceFeedId, ...eventValues(event) }
}
