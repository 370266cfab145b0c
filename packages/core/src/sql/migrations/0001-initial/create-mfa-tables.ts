import type { Migration } from '../../migration.ts'
import { ofUser } from './of-user.ts'

/** Creates the tables of MFA factors and of sign-ins that wait for one. */
export const createMfaTables: Migration['up'] = ({ schema }, { types, keyedTable }) => [
  schema
    .createTable('clientele_mfa_factors')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('encrypted_totp_secret', 'text')
    .addColumn('totp_confirmed_at', types.time)
    .addColumn('totp_last_step', types.counter)
    .addColumn('email_enabled', types.flag, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_mfa_factors_key', ['account_id', 'user_id'])
    .$call(ofUser('clientele_mfa_factors'))
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_recovery_codes')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('hash', types.sortedText, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_recovery_codes_key', ['account_id', 'user_id', 'hash'])
    .$call(ofUser('clientele_recovery_codes'))
    .modifyEnd(keyedTable),
  schema
    .createTable('clientele_challenges')
    .addColumn('account_id', types.id, (column) => column.notNull())
    .addColumn('hash', types.sortedText, (column) => column.notNull())
    .addColumn('user_id', types.id, (column) => column.notNull())
    .addColumn('amr', types.json, (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('tries_left', types.counter, (column) => column.notNull())
    .addColumn('mails_left', types.counter, (column) => column.notNull())
    .addColumn('email_code_hash', 'text')
    .addColumn('mailed_to', 'text')
    .addColumn('expires_at', types.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('clientele_challenges_key', ['account_id', 'hash'])
    .$call(ofUser('clientele_challenges'))
    .modifyEnd(keyedTable),
  schema
    .createIndex('clientele_challenges_by_user')
    .on('clientele_challenges')
    .columns(['account_id', 'user_id']),
  schema
    .createIndex('clientele_challenges_by_expiry')
    .on('clientele_challenges')
    .columns(['account_id', 'expires_at']),
]
