import { searchWordsOf, toSearchKey } from '../domain/search-key.ts'
import type { NewUserRecord, TransferRepository } from '../repository.ts'
import { mapInSlices } from '../time-slice.ts'
import { ConstraintViolation, type Database, run, type Transaction, Undoing } from './database.ts'
import { toVersionedUser, userColumns } from './rows.ts'
import type { UserCounts } from './user-counts.ts'

interface UserRecord {
  id: string
  email: string
  name: string
  name_key: string
  roles: string
  metadata: string
  is_active: boolean
  password_hash: string | null
  created_at: number
}
const recordColumns = {
  id: 'id',
  email: 'sortedText',
  name: 'text',
  name_key: 'sortedText',
  roles: 'text',
  metadata: 'text',
  is_active: 'flag',
  password_hash: 'text',
  created_at: 'time',
} as const
const lowestId = '00000000-0000-0000-0000-000000000000'

interface SourceKey {
  accountId: string
  source: string
}

export function createTransferQueries(database: Database, counts: UserCounts): TransferRepository {
  const { differences } = database
  const insertUsers = database.statement<{ accountId: string; users: string; at: number }>()(
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .columns([
          'account_id',
          'id',
          'email',
          'name',
          'name_key',
          'roles',
          'metadata',
          'is_active',
          'password_hash',
          'created_at',
          'updated_at',
          'version',
          'tokens_not_before',
        ])
        .expression((of) =>
          of
            .selectFrom(
              differences.recordsOfJsonArray<UserRecord>(value('users'), recordColumns).as('r'),
            )
            .select((row) => [
              database.typed(value('accountId'), 'id').as('account_id'),
              'r.id',
              'r.email',
              'r.name',
              'r.name_key',
              database.typed(row.ref('r.roles'), 'json').as('roles'),
              database.typed(row.ref('r.metadata'), 'json').as('metadata'),
              'r.is_active',
              'r.password_hash',
              'r.created_at',
              database.typed(value('at'), 'time').as('updated_at'),
              row.lit(1).as('version'),
              database.typed(value('at'), 'time').as('tokens_not_before'),
            ])
            // SQLite reads the ON of ON CONFLICT as a join's unless a WHERE stands between. In the order of the ids:
            // of two records with one e-mail the first is taken.
            .where('r.id', 'is not', null)
            .orderBy('r.id'),
        )
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .returning('id'),
  )
  const insertRoles = database.statement<{ accountId: string; roles: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_roles')
      .columns(['account_id', 'role', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            differences
              .recordsOfJsonArray<{ role: string; user_id: string }>(value('roles'), {
                role: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([
            database.typed(value('accountId'), 'id').as('account_id'),
            'r.role',
            'r.user_id',
          ]),
      ),
  )
  const insertWords = database.statement<{ accountId: string; words: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_words')
      .columns(['account_id', 'word', 'user_id'])
      .expression((of) =>
        of
          .selectFrom(
            differences
              .recordsOfJsonArray<{ word: string; user_id: string }>(value('words'), {
                word: 'sortedText',
                user_id: 'id',
              })
              .as('r'),
          )
          .select([
            database.typed(value('accountId'), 'id').as('account_id'),
            'r.word',
            'r.user_id',
          ]),
      ),
  )
  const selectImport = database.statement<SourceKey>()((queries, value) =>
    queries
      .selectFrom('clientele_imports')
      .select(['records', 'imported', 'skipped'])
      .where('account_id', '=', value('accountId'))
      .where('source', '=', value('source')),
  )
  const storeImport = database.statement<
    SourceKey & { records: number; imported: number; skipped: number }
  >()((queries, value) =>
    queries
      .insertInto('clientele_imports')
      .values({
        account_id: value('accountId'),
        source: value('source'),
        records: value('records'),
        imported: value('imported'),
        skipped: value('skipped'),
        updated: 0,
        conflicts: 0,
        without_password: 0,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'source']).doUpdateSet((of) => ({
          records: of.ref('excluded.records'),
          imported: of.ref('excluded.imported'),
          skipped: of.ref('excluded.skipped'),
        })),
      ),
  )
  const deleteImport = database.statement<SourceKey>()((queries, value) =>
    queries
      .deleteFrom('clientele_imports')
      .where('account_id', '=', value('accountId'))
      .where('source', '=', value('source')),
  )
  const selectTaken = database.statement<{ accountId: string; emails: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users')
        .select('email')
        .where('account_id', '=', value('accountId'))
        .where('email', 'in', (of) =>
          of.selectFrom(differences.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
  )
  const selectNext = database.statement<{ accountId: string; afterId: string; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(userColumns)
        .select('u.password_hash')
        .where('u.account_id', '=', value('accountId'))
        .where('u.id', '>', value('afterId'))
        .orderBy('u.id')
        .limit(value('limit')),
  )

  return {
    findImport: (accountId, source) => database.queryOne(selectImport, { accountId, source }),
    importUsers: async (accountId, batch) => {
      const { users, importedAt: at, progress, isAllOrNothing } = batch
      const records = JSON.stringify(users.map(toRecord))
      try {
        return await database.transact(
          function* (): Transaction<string[]> {
            const rows = yield* run(insertUsers, { accountId, users: records, at })
            const stored = new Set(rows.map((row) => row.id))
            const taken = users.flatMap((user) => (stored.has(user.id) ? [] : [user.id]))
            if (taken.length > 0 && isAllOrNothing) throw new EmailsTaken(taken)
            const roles = users.flatMap((user) =>
              stored.has(user.id) ? user.roles.map((role) => ({ role, user_id: user.id })) : [],
            )
            if (roles.length > 0)
              yield* run(insertRoles, { accountId, roles: JSON.stringify(roles) })
            const words = users.flatMap((user) =>
              stored.has(user.id)
                ? searchWordsOf(user).map((word) => ({ word, user_id: user.id }))
                : [],
            )
            if (words.length > 0)
              yield* run(insertWords, { accountId, words: JSON.stringify(words) })
            yield* counts.add(accountId, [...stored])
            if (progress !== undefined) {
              const { source, after } = progress
              yield* run(storeImport, { accountId, source, ...after(taken.length) })
            }
            return taken
          },
          { snapshot: true },
        )
      } catch (error) {
        if (error instanceof EmailsTaken) return error.ids
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key') {
          return 'account_not_found'
        }
        throw error
      }
    },
    endImport: async (accountId, source) => {
      await database.query(deleteImport, { accountId, source })
    },
    findTakenEmails: async (accountId, emails) => {
      const input = { accountId, emails: JSON.stringify(emails) }
      return (await database.query(selectTaken, input)).map((row) => row.email)
    },
    exportUsers: async (accountId, afterId, limit) => {
      const input = { accountId, afterId: afterId ?? lowestId, limit }
      const rows = await database.query(selectNext, input)
      return mapInSlices(rows, (row) => ({
        ...toVersionedUser(row),
        passwordHash: row.password_hash,
      }))
    },
  }
}

/** Undoes a batch that is to be stored whole or not at all. */
class EmailsTaken extends Undoing {
  readonly ids: string[]

  constructor(ids: string[]) {
    super('E-mails are taken.')
    this.ids = ids
  }
}

function toRecord(user: NewUserRecord): UserRecord {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    name_key: toSearchKey(user.name),
    roles: JSON.stringify(user.roles),
    metadata: JSON.stringify(user.metadata),
    is_active: user.isActive,
    password_hash: user.passwordHash,
    created_at: user.createdAt,
  }
}
