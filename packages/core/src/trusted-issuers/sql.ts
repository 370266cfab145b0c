import type { PublicJwk } from './public-jwk.ts'
import type { IssuerAlgorithm, UserClaim } from './trusted-issuer.ts'
import type { IssuerRecord, IssuerRepository } from '../repository.ts'
import { ConstraintViolation, type Database, type ParameterOf } from '../sql/db.ts'
import type { Tables } from '../sql/database.ts'

interface IssuerValues {
  accountId: string
  id: string
  issuer: string
  audience: string
  algorithms: string
  userClaim: string
  sealedSecret: string | null
  publicKeys: string | null
  jwksUrl: string | null
  maxLifetimeSeconds: number
  trustUnverifiedEmail: boolean
  createdAt: number
  updatedAt: number
}

export function createIssuerQueries(database: Database): IssuerRepository {
  const insertIssuer = database.statement<IssuerValues>()((queries, value) =>
    queries.insertInto('clientele_trusted_issuers').values({
      account_id: value('accountId'),
      id: value('id'),
      created_at: value('createdAt'),
      ...changeable(value),
    }),
  )
  const selectIssuers = database.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_trusted_issuers')
      .selectAll()
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
  const changeIssuer = database.statement<IssuerValues & { unchangedSince: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_trusted_issuers')
        .set(changeable(value))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('updated_at', '=', value('unchangedSince'))
        .returning('id'),
  )
  const removeIssuer = database.statement<{ accountId: string; id: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_trusted_issuers')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .returning('issuer'),
  )
  const selectSecrets = database.statement<object>()((queries) =>
    queries
      .selectFrom('clientele_trusted_issuers')
      .select(['account_id as accountId', 'id', 'sealed_secret as sealedSecret'])
      .where('sealed_secret', 'is not', null)
      .$narrowType<{ sealedSecret: string }>(),
  )
  const reseal = database.statement<{
    accountId: string
    id: string
    oldSealed: string
    newSealed: string
  }>()((queries, value) =>
    queries
      .updateTable('clientele_trusted_issuers')
      .set({ sealed_secret: value('newSealed') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where('sealed_secret', '=', value('oldSealed')),
  )
  return {
    createIssuer: async (accountId, issuer) => {
      try {
        await database.query(insertIssuer, toValues(accountId, issuer))
        return 'created'
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error
        return error.kind === 'unique' ? 'issuer_taken' : 'account_not_found'
      }
    },
    listIssuers: async (accountId) => {
      const rows = await database.query(selectIssuers, { accountId })
      return rows.map(toRecord)
    },
    updateIssuer: async (accountId, issuer, unchangedSince) => {
      try {
        const values = { ...toValues(accountId, issuer), unchangedSince }
        const row = await database.queryOne(changeIssuer, values)
        return row === undefined ? 'issuer_changed' : 'updated'
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'unique') return 'issuer_taken'
        throw error
      }
    },
    deleteIssuer: async (accountId, id) =>
      (await database.queryOne(removeIssuer, { accountId, id }))?.issuer,
    listSealedIssuerSecrets: () => database.query(selectSecrets, {}),
    resealIssuerSecret: async (accountId, id, oldSealed, newSealed) => {
      await database.query(reseal, { accountId, id, oldSealed, newSealed })
    },
  }
}

function changeable(value: ParameterOf<IssuerValues>) {
  return {
    issuer: value('issuer'),
    audience: value('audience'),
    algorithms: value('algorithms'),
    user_claim: value('userClaim'),
    sealed_secret: value('sealedSecret'),
    public_keys: value('publicKeys'),
    jwks_url: value('jwksUrl'),
    max_lifetime_seconds: value('maxLifetimeSeconds'),
    trust_unverified_email: value('trustUnverifiedEmail'),
    updated_at: value('updatedAt'),
  }
}

function toValues(accountId: string, record: IssuerRecord): IssuerValues {
  const { algorithms, publicKeys } = record
  return {
    accountId,
    ...record,
    algorithms: JSON.stringify(algorithms),
    publicKeys: publicKeys === null ? null : JSON.stringify(publicKeys),
  }
}

function toRecord(row: Tables['clientele_trusted_issuers']): IssuerRecord {
  return {
    id: row.id,
    issuer: row.issuer,
    audience: row.audience,
    algorithms: JSON.parse(row.algorithms) as IssuerAlgorithm[], // written by us from IssuerAlgorithm[]
    userClaim: row.user_claim as UserClaim, // written by us from UserClaim
    sealedSecret: row.sealed_secret,
    publicKeys: row.public_keys === null ? null : (JSON.parse(row.public_keys) as PublicJwk[]), // written by us
    jwksUrl: row.jwks_url,
    maxLifetimeSeconds: row.max_lifetime_seconds,
    trustUnverifiedEmail: Boolean(row.trust_unverified_email),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
