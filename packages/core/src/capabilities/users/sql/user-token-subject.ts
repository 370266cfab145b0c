import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { UserTokenSubject } from '../../../base/call/token-subject.ts'
import type { Db } from '../../../sql/db.ts'
import type { DialectFeatures } from '../../../sql/dialect-features.ts'
import { readAccount } from '../../../sql/read-account.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { SubjectState } from '../../../user-model/subject-state.ts'
import { accountDisabledAt, orderRows, type SubjectRow, signingKey, userOf } from './subject.ts'
import { toVersionedUser, userColumns } from './user-rows.ts'

export type UserTokenKey = UserTokenSubject['by']

/** The columns of a user's token, from the table `clientele_user_tokens as t`. */
export const userTokenColumns = [
  't.id as token_id',
  't.name as token_name',
  't.scopes as token_scopes',
  't.created_at as token_created_at',
  't.expires_at as token_expires_at',
  't.revoked_at as token_revoked_at',
  't.last_used_at as token_last_used_at',
  't.jwts_not_before as token_jwts_not_before',
] as const

export interface UserTokenRow extends Omit<SubjectRow, 'live_session_id'> {
  token_id: string
  token_name: string
  token_scopes: string
  token_created_at: number
  token_expires_at: number | null
  token_revoked_at: number | null
  token_last_used_at: number | null
  token_jwts_not_before: number | null
}

/** In an SQLite database: finds the user of a token by the token's hash or id. */
export function createFindByUserToken(db: Db) {
  const statements = { hash: createStatement(db, 'hash'), id: createStatement(db, 'id') }

  return function* findByUserToken(
    accountId: string,
    { by, userToken, ...subject }: UserTokenSubject,
  ): Transaction<SubjectState | undefined> {
    const keyId = subject.keyId ?? null
    const [row] = yield* run(statements[by], { accountId, userToken, keyId })
    return row && toUserTokenState(row, keyId)
  }
}

function createStatement(db: Db, by: UserTokenKey) {
  return db.statement<{ accountId: string; userToken: string; keyId: string | null }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_user_tokens as t')
        .innerJoin('clientele_users as u', (join) =>
          join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 't.user_id'),
        )
        .select(userColumns)
        .select(['u.tokens_not_before', ...userTokenColumns])
        .select([
          signingKey(value('accountId'), value('keyId')),
          accountDisabledAt(value('accountId')),
        ])
        .where('t.account_id', '=', value('accountId'))
        .where(`t.${by}`, '=', value('userToken')),
  )
}

/** On a database server: finds the users of several tokens of an account with one statement. */
export function createFindByUserTokens(db: Db) {
  const statements = { hash: createJoined(db, 'hash'), id: createJoined(db, 'id') }

  return async function findByUserTokens(
    accountId: string,
    by: UserTokenKey,
    subjects: readonly UserTokenSubject[],
  ): Promise<(SubjectState | undefined)[]> {
    const input = { accountId, subjects: toAskedTokens(subjects) }
    const rows = orderRows(await readAccount(db, statements[by], input))
    return subjects.map(({ keyId = null }, place) => {
      const row = rows[place]
      return row && toUserTokenState(row, keyId)
    })
  }
}

function createJoined(db: Db, by: UserTokenKey) {
  return db.statement<{ accountId: string; subjects: string }>()((queries, value) =>
    queries
      .selectFrom(askedTokens(db.features, value('subjects'), by).as('r'))
      .innerJoinLateral(
        (of) => askedToken(value('accountId'), of.ref('r.asked_token'), by),
        (join) => join.onTrue(),
      )
      .innerJoinLateral(
        (of) => userOf(value('accountId'), of.ref('t.user_id')),
        (join) => join.onTrue(),
      )
      .select('r.place')
      .select(userColumns)
      .select(['u.tokens_not_before', ...userTokenColumns])
      .select((of) => [
        signingKey(value('accountId'), of.ref('r.asked_key_id')),
        accountDisabledAt(value('accountId')),
      ]),
  )
}

interface AskedToken {
  /** Its index among the requested tokens */
  place: number
  asked_token: string
  asked_key_id: string | null
}

/** A table of the requested tokens, from the text of `toAskedTokens`. */
export function askedTokens(
  features: DialectFeatures,
  subjects: Expression<string>,
  by: UserTokenKey,
): RawBuilder<AskedToken> {
  return features.recordsOfJsonArray<AskedToken>(subjects, {
    place: 'counter',
    asked_token: by === 'id' ? 'id' : 'sortedText',
    asked_key_id: 'text',
  })
}

export function toAskedTokens(subjects: readonly UserTokenSubject[]): string {
  const asked = subjects.map(({ userToken, keyId = null }, place) => ({
    place,
    asked_token: userToken,
    asked_key_id: keyId,
  }))
  return JSON.stringify(asked)
}

/** A requested token, found by key: a join may be planned as a scan of the account. */
export function askedToken(
  accountId: Expression<string>,
  asked: Expression<string | null>,
  by: UserTokenKey,
) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_user_tokens as t')
    .select(['t.user_id', 't.id', 't.name', 't.scopes', 't.created_at'])
    .select(['t.expires_at', 't.revoked_at', 't.last_used_at', 't.jwts_not_before'])
    .where('t.account_id', '=', accountId)
    .where(`t.${by}`, '=', asked)
    .limit(sql.lit(1))
    .as('t')
}

export function toUserTokenState(row: UserTokenRow, keyId: string | null): SubjectState {
  return {
    ...toVersionedUser(row),
    hasLiveSession: true,
    hasSigningKey: keyId === null || row.signing_key_id !== null,
    tokensNotBefore: row.tokens_not_before,
    isAccountDisabled: row.account_disabled_at !== null,
    userToken: {
      id: row.token_id,
      name: row.token_name,
      scopes: JSON.parse(row.token_scopes) as string[], // written by us from string[]
      createdAt: row.token_created_at,
      expiresAt: row.token_expires_at,
      revokedAt: row.token_revoked_at,
      lastUsedAt: row.token_last_used_at,
      jwtsNotBefore: row.token_jwts_not_before,
    },
  }
}
