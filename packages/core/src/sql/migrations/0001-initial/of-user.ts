import type { CreateTableBuilder } from 'kysely'

/** For `$call`: makes each row of a table belong to a user and be deleted with the user. */
export function ofUser(table: string) {
  return <Table extends string, Column extends string>(
    builder: CreateTableBuilder<Table, Column | 'account_id' | 'user_id'>,
  ) =>
    builder.addForeignKeyConstraint(
      `${table}_user`,
      ['account_id', 'user_id'],
      'clientele_users',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
}
