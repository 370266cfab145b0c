import type { Expression, ExpressionBuilder } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { userColumns } from '../../users/sql/user-rows.ts'
import type { UserKey } from '../../users/store.ts'

interface Named {
  accountId: string
  hash: string
}

interface Validity {
  now: number
  latest: number
}

export type ChangeRows = ReturnType<typeof createChangeRows>

/** The statements of the rows of changes. */
export function createChangeRows(db: Db) {
  return {
    ...createOpenStatements(db),
    ...createConfirmedStatements(db),
    lockUser: db.statement<UserKey>()((queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        .where('u.account_id', '=', value('accountId'))
        .where('u.id', '=', value('userId'))
        .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
    ),
    insert: db.statement<
      UserKey & { hash: string; email: string; confirmHash: string; expiresAt: number }
    >()((queries, value) =>
      queries.insertInto('clientele_email_changes').values({
        account_id: value('accountId'),
        hash: value('hash'),
        user_id: value('userId'),
        email: value('email'),
        confirm_hash: value('confirmHash'),
        expires_at: value('expiresAt'),
      }),
    ),
  }
}

/** The token that confirms a change. A new password or a deactivation deletes it: the change has ended. */
function selectConfirmable(
  of: ExpressionBuilder<Database, 'clientele_email_changes'>,
  accountId: Expression<string>,
) {
  return of
    .selectFrom('clientele_email_tokens as t')
    .select('t.hash')
    .where('t.account_id', '=', accountId)
    .whereRef('t.hash', '=', 'clientele_email_changes.confirm_hash')
}

/** Of changes that are not confirmed */
function createOpenStatements(db: Db) {
  return {
    selectOpen: db.statement<Named & Validity & { purpose: string }>()((queries, value) =>
      queries
        .selectFrom('clientele_email_tokens as t')
        .innerJoin('clientele_email_changes as c', (join) =>
          join
            .on('c.account_id', '=', value('accountId'))
            .onRef('c.confirm_hash', '=', 't.hash')
            .on('c.confirmed_version', 'is', null),
        )
        .select(['t.user_id as userId', 't.email', 'c.email as formerEmail'])
        .where('t.account_id', '=', value('accountId'))
        .where('t.hash', '=', value('hash'))
        .where('t.purpose', '=', value('purpose'))
        .where('t.expires_at', '>', value('now'))
        .where('t.expires_at', '<=', value('latest')),
    ),
    deleteOpen: db.statement<UserKey>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_changes')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('confirmed_version', 'is', null),
    ),
    deleteOpenBy: db.statement<UserKey & Named>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_changes')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('hash', '=', value('hash'))
        .where('confirmed_version', 'is', null)
        .where((of) => of.exists(selectConfirmable(of, value('accountId'))))
        .returning('hash'),
    ),
    deleteMailed: db.statement<UserKey & { purpose: string }>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_tokens')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('purpose', '=', value('purpose')),
    ),
  }
}

/** Of changes that were confirmed */
function createConfirmedStatements(db: Db) {
  return {
    noteConfirmed: db.statement<{ accountId: string; confirmHash: string; version: number }>()(
      (queries, value) =>
        queries
          .updateTable('clientele_email_changes')
          .set({ confirmed_version: value('version') })
          .where('account_id', '=', value('accountId'))
          .where('confirm_hash', '=', value('confirmHash')),
    ),
    /** Of the addresses in between, where the user has an address again that can take its change back still */
    deleteBetween: db.statement<UserKey & { email: string; now: number }>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_changes')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('email', '<>', value('email'))
        .where('confirmed_version', '>', (of) =>
          of
            .selectFrom('clientele_email_changes as c')
            .select((first) => first.fn.min('c.confirmed_version').as('version'))
            .where('c.account_id', '=', value('accountId'))
            .where('c.user_id', '=', value('userId'))
            .where('c.email', '=', value('email'))
            .where('c.expires_at', '>', value('now')),
        ),
    ),
    selectUndoable: db.statement<Named & Validity>()((queries, value) =>
      queries
        .selectFrom('clientele_email_changes')
        .select(['user_id', 'email', 'confirmed_version'])
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest'))
        .where((of) =>
          of.or([
            of('confirmed_version', 'is not', null),
            of.exists(selectConfirmable(of, value('accountId'))),
          ]),
        ),
    ),
    /** Of this change and later ones, those that are not confirmed too */
    deleteSince: db.statement<UserKey & { version: number }>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_changes')
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where((of) =>
          of.or([
            of('confirmed_version', 'is', null),
            of('confirmed_version', '>=', value('version')),
          ]),
        ),
    ),
  }
}
