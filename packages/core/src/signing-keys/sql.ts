import type { QueryCreator } from 'kysely'
import type { Database } from '../sql/database.ts'
import { ConstraintViolation, type Db, type ParameterOf } from '../sql/db.ts'
import { writeWithEffects } from '../sql/write-with-effects.ts'
import type { SigningKeyRecord, SigningKeyStore } from './store.ts'

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
  const insertKey = writeWithEffects<SigningKeyRecord>(db)((queries, value) =>
    insertRecord(queries, value).returning('id'),
  )
  const insertKeyIfFirst = writeWithEffects<SigningKeyRecord>(db)((queries, value) =>
    insertRecord(queries, value)
      .onConflict((conflict) =>
        conflict.columns(['algorithm']).where('retired_at', 'is', null).doNothing(),
      )
      .returning('id'),
  )
  const retireKey = writeWithEffects<{ id: string; at: number }>(db)((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ retired_at: value('at') })
      .where('id', '=', value('id'))
      .where('retired_at', 'is', null)
      .returning('id'),
  )
  const deleteKey = writeWithEffects<{ id: string }>(db)((queries, value) =>
    queries.deleteFrom('clientele_signing_keys').where('id', '=', value('id')).returning('id'),
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
    rotate: async (key, activeKeyId, retiredAt) => {
      try {
        return await db.transact(function* () {
          const [retired] = yield* retireKey.run({ id: activeKeyId, at: retiredAt })
          if (retired !== undefined) yield* insertKey.run({ ...key, retiredAt: null })
          return retired !== undefined
        })
      } catch (error) {
        // Another process has added a key of this algorithm at the same moment.
        if (error instanceof ConstraintViolation && error.kind === 'unique') return false
        throw error
      }
    },
    retire: async (id, retiredAt) => {
      await retireKey.execute({ id, at: retiredAt })
    },
    remove: async (id) => (await deleteKey.execute({ id })) !== undefined,
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
    addFirst: async (key) => {
      await insertKeyIfFirst.execute({ ...key, retiredAt: null })
    },
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
