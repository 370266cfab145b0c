import type { SigningKeyRecord, SigningKeyRepository } from '../repository.ts'
import type { Database } from './database.ts'

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
      ])
      .orderBy('created_at')
      .orderBy('id'),
  )
  const insertKey = database.statement<SigningKeyRecord>()((queries, value) =>
    queries
      .insertInto('clientele_signing_keys')
      .values({
        id: value('id'),
        algorithm: value('algorithm'),
        public_jwk: value('publicJwk'),
        encrypted_private_jwk: value('encryptedPrivateJwk'),
        created_at: value('createdAt'),
        retired_at: value('retiredAt'),
      })
      .onConflict((conflict) =>
        conflict.columns(['algorithm']).where('retired_at', 'is', null).doNothing(),
      ),
  )
  return {
    listSigningKeys: () => database.query(selectKeys, {}),
    addFirstSigningKey: async (key) => {
      await database.query(insertKey, { ...key, retiredAt: null })
    },
  }
}
