import { type Expression, sql } from 'kysely'
import type { UserTokenSubject } from '../../../base/call/token-subject.ts'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import { readAccount } from '../../../sql/read-account.ts'
import { orderRows, signingKey, userOf } from '../../users/sql/subject.ts'
import { userColumns } from '../../users/sql/user-rows.ts'
import {
  askedToken,
  askedTokens,
  toAskedTokens,
  toUserTokenState,
  type UserTokenKey,
  type UserTokenRow,
  userTokenColumns,
} from '../../users/sql/user-token-subject.ts'
import type { ApiKeyMatch } from '../store.ts'
import { accountOfKey, type KeyValues, keyColumns, type ToHolder, toMatch } from './key-rows.ts'

interface Call {
  hash: string
  /** Undefined: the account is not known */
  accountId: string | undefined
  toHolder: ToHolder
  subject: UserTokenSubject
}

/**
 * On a database server: finds an API key and the subjects of users' own tokens. Simultaneous look-ups with one key share a
 * round trip.
 */
export function createKeyAndUserTokenLookUp(db: Db) {
  const byHash = createLoader(db, 'hash')
  const byId = createLoader(db, 'id')

  return (lane: string, call: Call): Promise<ApiKeyMatch | undefined> =>
    (call.subject.by === 'hash' ? byHash : byId).load(lane, call)
}

function createLoader(db: Db, by: UserTokenKey): BatchLoader<Call, ApiKeyMatch | undefined> {
  const ofAny = createKeyAndTokens(db, by, { isOfAccount: false })
  const ofOne = createKeyAndTokens(db, by, { isOfAccount: true })

  return new BatchLoader(async (_, calls) => {
    const { hash = '', accountId, toHolder } = calls[0] ?? {} // there is one, and all have the same
    const subjects = toAskedTokens(calls.map(({ subject }) => subject))
    const input = { hash, accountId: accountId ?? toHolder?.() ?? '', subjects }
    const found = await (accountId === undefined
      ? db.query(ofAny, input)
      : readAccount(db, ofOne, input))
    const match = found[0] && toMatch(found[0])
    if (match === undefined) return calls.map(() => undefined)
    const rows = orderRows(found)
    return calls.map(({ subject: { keyId = null } }, place) => {
      const row = rows[place]
      if (row === undefined || row.id === null) return match
      // An outer join: either all of its columns are null or none.
      return { ...match, subject: toUserTokenState(row as unknown as UserTokenRow, keyId) }
    })
  })
}

function createKeyAndTokens(db: Db, by: UserTokenKey, { isOfAccount }: { isOfAccount: boolean }) {
  return db.statement<KeyValues & { subjects: string }>()((queries, value) => {
    const accountId: Expression<string> = isOfAccount
      ? value('accountId')
      : sql.ref<string>('k.account_id')
    return queries
      .selectFrom('clientele_api_keys as k')
      .innerJoinLateral(
        () => accountOfKey(accountId),
        (join) => join.onTrue(),
      )
      .select(keyColumns)
      .select('a.disabled_at as account_disabled_at')
      .leftJoin(askedTokens(db.features, value('subjects'), by).as('r'), (join) => join.onTrue())
      .leftJoinLateral(
        (of) => askedToken(accountId, of.ref('r.asked_token'), by),
        (join) => join.onTrue(),
      )
      .leftJoinLateral(
        (of) => userOf(accountId, of.ref('t.user_id')),
        (join) => join.onTrue(),
      )
      .select('r.place')
      .select(userColumns)
      .select(['u.tokens_not_before', ...userTokenColumns])
      .select((of) => signingKey(accountId, of.ref('r.asked_key_id')))
      .$if(isOfAccount, (query) => query.where('k.account_id', '=', value('accountId')))
      .where('k.hash', '=', value('hash'))
  })
}
