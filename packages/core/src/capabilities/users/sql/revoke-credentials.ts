import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { changedBy, type Effect } from '../../../sql/effects.ts'
import { listTables, tables } from '../../../sql/tables/tables.ts'
import { deleteOfChanged, type KeyedTable } from './delete-of-changed.ts'
import { endUserTokens } from './end-user-tokens.ts'

interface Revocation {
  accountId: string
  /** The session that survives; null: none */
  keepSessionId: string | null
}

/**
 * Ends a user's sessions, sign-ins that wait for an MFA factor, open passkey enrolments, e-mail tokens and mailed
 * sign-in codes, when the user gets another password or is deactivated: earlier requests must not bypass the change. A
 * deactivation ends the user's own tokens, too, and another password does where `endsTokens` says so.
 *
 * The tokens of a session are refused with it. Tokens of other issuers are refused by `tokens_not_before`, which the
 * change itself sets. A deletion does not need these effects: foreign keys delete a user's rows with the user.
 *
 * A write with these effects must set `seesLatest`: a sign-in that locked the user's row before the change may have
 * opened a session meanwhile.
 */
export function revokeCredentials(
  db: Db,
  { endsTokens = false }: { endsTokens?: boolean } = {},
): Effect<Revocation>[] {
  const endCodes = endSignInCodes(db)
  const endRows = endingTables.map(
    (table): Effect<Revocation> =>
      (queries, value) => {
        if (table === 'clientele_sign_in_codes') return endCodes(queries, value)
        const ended = deleteOfChanged(db, table, queries, value('accountId'))
        return table === 'clientele_sessions'
          ? ended.where(sql.ref('id'), 'is distinct from', db.typed(value('keepSessionId'), 'id'))
          : ended
      },
  )
  return [...endRows, endUserTokens(db, { unlessActive: !endsTokens })]
}

/** The tables whose rows of a user end with the user's password */
export const endingTables = listTables(
  (table): table is KeyedTable => 'endsWithPassword' in tables[table],
)

/**
 * Takes mailed codes away from the changed user. From then on they are refused as those of an address that nobody has: a
 * deleted one would tell whoever asked for it that the address has a user.
 */
export function endSignInCodes(db: Db): Effect<{ accountId: string }> {
  return (queries, value) =>
    queries
      .updateTable('clientele_sign_in_codes')
      .set({ user_id: null })
      .where('account_id', '=', value('accountId'))
      .where('email', 'in', (of) =>
        of
          .selectFrom('clientele_sign_in_codes')
          .select('email')
          .where('account_id', '=', value('accountId'))
          .where('user_id', changedBy(db), (user) => user.selectFrom('changed').select('id')),
      )
}

/** Ends waiting sign-ins of the changed user. */
export function endChallenges(db: Db): Effect<{ accountId: string }> {
  return (queries, value) =>
    deleteOfChanged(db, 'clientele_challenges', queries, value('accountId'))
}
