import { type Expression, expressionBuilder, sql } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'

/** The id of a user, if the user has a second factor. */
export function factorUserId(accountId: Expression<string>, userId: Expression<string>) {
  return selectFactor(accountId, userId, true).as('factor_user_id')
}

/** The id of a user, if the user has a second factor other than codes by e-mail. */
export function otherFactorUserId(accountId: Expression<string>, userId: Expression<string>) {
  return selectFactor(accountId, userId, false).as('other_factor_user_id')
}

/** Selects the id of a user with a second factor. */
export function selectFactor(
  accountId: Expression<string>,
  userId: Expression<string>,
  countsEmail: boolean,
) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_mfa_factors as ff')
    .select('ff.user_id')
    .where('ff.account_id', '=', accountId)
    .where('ff.user_id', '=', userId)
    .where((of) =>
      of.or([
        of('ff.totp_confirmed_at', 'is not', null),
        ...(countsEmail ? [of('ff.email_enabled', '=', sql.lit(true))] : []),
        of.exists(
          of
            .selectFrom('clientele_passkeys as fp')
            .select('fp.id')
            .where('fp.account_id', '=', accountId)
            .where('fp.user_id', '=', userId)
            .where('fp.use', '=', 'second_factor'),
        ),
      ]),
    )
}
