import type { SigningKeyRecord, SigningKeyRepository } from '../repository.ts'
import {
  ConstraintViolation,
  type Database,
  type ParameterOf,
  type Queries,
  run,
} from '../sql/db.ts'

export function createSigningKeyQueries(database: Database): SigningKeyRepository {
  const selectKeys = database.statement<object>()((queries) =>
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
  const insertKey = database.statement<SigningKeyRecord>()(insertRecord)
  const insertKeyIfFirst = database.statement<SigningKeyRecord>()((queries, value) =>
    insertRecord(queries, value).onConflict((conflict) =>
      conflict.columns(['algorithm']).where('retired_at', 'is', null).doNothing(),
    ),
  )
  const retireKey = database.statement<{ id: string; at: number }>()((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ retired_at: value('at') })
      .where('id', '=', value('id'))
      .where('retired_at', 'is', null)
      .returning('id'),
  )
  const deleteKey = database.statement<{ id: string }>()((queries, value) =>
    queries.deleteFrom('clientele_signing_keys').where('id', '=', value('id')).returning('id'),
  )
  const deleteDead = database.statement<{ at: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_signing_keys')
      .where((of) => of('retired_at', '+', of('token_life_seconds', '*', 1000)), '<=', value('at')),
  )
  const raiseLife = database.statement<{ id: string; seconds: number }>()((queries, value) =>
    queries
      .updateTable('clientele_signing_keys')
      .set({ token_life_seconds: value('seconds') })
      .where('id', '=', value('id'))
      .where('token_life_seconds', '<', value('seconds')),
  )
  const reseal = database.statement<{ id: string; oldSealed: string; newSealed: string }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_signing_keys')
        .set({ encrypted_private_jwk: value('newSealed') })
        .where('id', '=', value('id'))
        .where('encrypted_private_jwk', '=', value('oldSealed')),
  )
  return {
    rotateSigningKey: async (key, activeKeyId, retiredAt) => {
      try {
        return await database.transact(function* () {
          const [retired] = yield* run(retireKey, { id: activeKeyId, at: retiredAt })
          if (retired !== undefined) yield* run(insertKey, { ...key, retiredAt: null })
          return retired !== undefined
        })
      } catch (error) {
        // Another process has added a key of this algorithm at the same moment.
        if (error instanceof ConstraintViolation && error.kind === 'unique') return false
        throw error
      }
    },
    retireSigningKey: async (id, retiredAt) => {
      await database.query(retireKey, { id, at: retiredAt })
    },
    removeSigningKey: async (id) => (await database.queryOne(deleteKey, { id })) !== undefined,
    removeDeadSigningKeys: async (at) => {
      await database.query(deleteDead, { at })
    },
    raiseTokenLife: async (id, seconds) => {
      await database.query(raiseLife, { id, seconds })
    },
    resealSigningKey: async (id, oldSealed, newSealed) => {
      await database.query(reseal, { id, oldSealed, newSealed })
    },
    listSigningKeys: () => database.query(selectKeys, {}),
    addFirstSigningKey: async (key) => {
      await database.query(insertKeyIfFirst, { ...key, retiredAt: null })
    },
  }
}

function insertRecord(queries: Queries, value: ParameterOf<SigningKeyRecord>) {
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
