import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Where words of a name are found that are not its first. */
export const userWords: Migration = {
  name: '0012-user-words',
  up: (queries, { types, keyedTable }) => [
    queries.schema
      .createTable('clientele_user_words')
      .addColumn('account_id', types.id, (column) => column.notNull())
      .addColumn('word', types.sortedText, (column) => column.notNull())
      .addColumn('user_id', types.id, (column) => column.notNull())
      .addPrimaryKeyConstraint('clientele_user_words_key', ['account_id', 'word', 'user_id'])
      .modifyEnd(keyedTable)
      .addForeignKeyConstraint(
        'clientele_user_words_user',
        ['account_id', 'user_id'],
        'clientele_users',
        ['account_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      ),
    queries.schema
      .createIndex('clientele_user_words_by_user')
      .on('clientele_user_words')
      .columns(['account_id', 'user_id']),
    // One sigma, as names are searched from here on.
    queries
      .updateTable('clientele_users')
      .set({ name_key: sql<string>`replace(name_key, '\u03c2', '\u03c3')` })
      .where('name_key', 'like', '%\u03c2%'),
  ],
}
