import { ConstraintViolation, type Db, type ParameterOf, run } from '../../sql/db.ts'
import type { Database } from '../../sql/tables/tables.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import {
  createAppendEvent,
  type EventValues,
  eventValues,
  recordEvent,
} from '../events/sql/record-event.ts'
import type { IssuerAlgorithm } from './issuer-algorithms.ts'
import type { PublicJwk } from './public-jwk.ts'
import type { TrustedIssuerRecord, TrustedIssuerStore } from './store.ts'
import type { NonceRule, UserLookup } from './trusted-issuer.ts'

interface IssuerValues {
  accountId: string
  id: string
  issuer: string
  audience: string
  clientIdAsAudience: boolean
  algorithms: string
  userClaim: string
  userLookup: string
  encryptedSecret: string | null
  publicKeys: string | null
  jwksUrl: string | null
  maxLifetimeSeconds: number
  trustUnverifiedEmail: boolean
  signIn: boolean
  linkByEmail: boolean
  nonce: string
  maxAgeSeconds: number | null
  createdAt: number
  updatedAt: number
}

export function createTrustedIssuerStore(db: Db): TrustedIssuerStore {
  const insertIssuer = writeWithEffects<IssuerValues & EventValues>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_trusted_issuers')
        .values({
          account_id: value('accountId'),
          id: value('id'),
          created_at: value('createdAt'),
          ...changeable(value),
        })
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const selectIssuers = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_trusted_issuers')
      .selectAll()
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
  const changeIssuer = writeWithEffects<IssuerValues & { unchangedSince: number } & EventValues>(
    db,
  )(
    (queries, value) =>
      queries
        .updateTable('clientele_trusted_issuers')
        .set(changeable(value))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('updated_at', '=', value('unchangedSince'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const removeIssuer = writeWithEffects<{ accountId: string; id: string }>(db)((queries, value) =>
    queries
      .deleteFrom('clientele_trusted_issuers')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .returning(['account_id', 'id', 'issuer']),
  )
  const appendEvent = createAppendEvent(db)

  return {
    create: async (accountId, issuer, event) => {
      try {
        await insertIssuer.execute({ ...eventValues(event), ...toValues(accountId, issuer) })
        return 'created'
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error
        return error.kind === 'unique' ? 'issuer_taken' : 'account_not_found'
      }
    },
    list: async (accountId) => {
      const rows = await db.query(selectIssuers, { accountId })
      return rows.map(toRecord)
    },
    update: async (accountId, issuer, unchangedSince, event) => {
      try {
        const values = { ...eventValues(event), ...toValues(accountId, issuer), unchangedSince }
        const row = await changeIssuer.execute(values)
        return row === undefined ? 'issuer_changed' : 'updated'
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'unique') return 'issuer_taken'
        throw error
      }
    },
    delete: (accountId, id, eventOf) =>
      db.transact(function* () {
        const [removed] = yield* removeIssuer.run({ accountId, id })
        if (removed === undefined) return undefined
        const event = eventOf(removed.issuer)
        yield* run(appendEvent, { accountId, ...eventValues(event) })
        return event
      }),
  }
}

function changeable(value: ParameterOf<IssuerValues>) {
  return {
    issuer: value('issuer'),
    audience: value('audience'),
    client_id_as_audience: value('clientIdAsAudience'),
    algorithms: value('algorithms'),
    user_claim: value('userClaim'),
    user_lookup: value('userLookup'),
    encrypted_secret: value('encryptedSecret'),
    public_keys: value('publicKeys'),
    jwks_url: value('jwksUrl'),
    max_lifetime_seconds: value('maxLifetimeSeconds'),
    trust_unverified_email: value('trustUnverifiedEmail'),
    sign_in: value('signIn'),
    link_by_email: value('linkByEmail'),
    nonce: value('nonce'),
    max_age_seconds: value('maxAgeSeconds'),
    updated_at: value('updatedAt'),
  }
}

function toValues(accountId: string, record: TrustedIssuerRecord): IssuerValues {
  const { audience, algorithms, publicKeys } = record
  return {
    accountId,
    ...record,
    audience: JSON.stringify(audience),
    algorithms: JSON.stringify(algorithms),
    publicKeys: publicKeys === null ? null : JSON.stringify(publicKeys),
  }
}

function toRecord(row: Database['clientele_trusted_issuers']): TrustedIssuerRecord {
  return {
    id: row.id,
    issuer: row.issuer,
    audience: JSON.parse(row.audience) as string[], // written by us from string[]
    clientIdAsAudience: Boolean(row.client_id_as_audience),
    algorithms: JSON.parse(row.algorithms) as IssuerAlgorithm[], // written by us from IssuerAlgorithm[]
    userClaim: row.user_claim,
    userLookup: row.user_lookup as UserLookup, // written by us from UserLookup
    encryptedSecret: row.encrypted_secret,
    publicKeys: row.public_keys === null ? null : (JSON.parse(row.public_keys) as PublicJwk[]), // written by us
    jwksUrl: row.jwks_url,
    maxLifetimeSeconds: row.max_lifetime_seconds,
    trustUnverifiedEmail: Boolean(row.trust_unverified_email),
    signIn: Boolean(row.sign_in),
    linkByEmail: Boolean(row.link_by_email),
    nonce: row.nonce as NonceRule, // written by us from NonceRule
    maxAgeSeconds: row.max_age_seconds,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
