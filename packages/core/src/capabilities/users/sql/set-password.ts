import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { UserKey } from '../store.ts'
import { revokeCredentials } from './revoke-credentials.ts'
import { writtenUserColumns, writtenUserKinds } from './user-values.ts'

type SetPassword = UserKey & {
  passwordHash: string
  now: number
  keepSessionId: null
} & EventValues

/**
 * Writes the password that a user chose on the way in, where the condition holds. Every session, device, challenge and
 * mailed token of the user ends, as with any new password.
 */
export function createSetPassword<Proof extends object>(
  db: Db,
  condition: (
    of: ExpressionBuilder<Database, 'clientele_users'>,
    value: ParameterOf<SetPassword & Proof>,
  ) => Expression<SqlBool>,
) {
  return writeWithEffects<SetPassword & Proof>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_users')
        .set((of) => ({
          password_hash: value('passwordHash'),
          tokens_not_before: value('now'),
          updated_at: value('now'),
          version: of('version', '+', 1),
        }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .where((of) => condition(of, value))
        .returning(writtenUserColumns),
    [...revokeCredentials(db), recordEvent(db, { person: 'changed' })],
    { seesLatest: true, columns: writtenUserKinds },
  )
}
