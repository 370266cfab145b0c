import type { CreateTableBuilder } from 'kysely'

/** Adds to a table, by `$call`, that each row is a user's, and goes with the user. */
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
