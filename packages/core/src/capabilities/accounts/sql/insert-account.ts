import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { AccountValues } from '../account.ts'
import type { NameTaken } from '../account-names.ts'
import { createAccountNames } from './account-names.ts'

interface NewRow {
  id: string
  name: string
  slug: string | null
  externalId: string | null
  metadata: string
  allowedRoles: string | null
  createdAt: number
}

/** Stores accounts with their names. */
export function createInsertAccount(db: Db) {
  const names = createAccountNames(db)
  const insert = db.statement<NewRow>()((queries, value) =>
    queries.insertInto('clientele_accounts').values({
      id: value('id'),
      name: value('name'),
      slug: value('slug'),
      external_id: value('externalId'),
      metadata: value('metadata'),
      allowed_roles: value('allowedRoles'),
      created_at: value('createdAt'),
    }),
  )

  /** As a part of a transaction of `names.transact` */
  function* write(
    accountId: string,
    account: AccountValues,
    createdAt: number,
  ): Transaction<'created'> {
    yield* run(insert, toRow(accountId, account, createdAt))
    yield* names.write(accountId, account, true)
    return 'created'
  }

  return {
    write,
    transact: names.transact,
    async execute(
      accountId: string,
      account: AccountValues,
      createdAt: number,
    ): Promise<'created' | NameTaken> {
      const { slug, externalId } = account
      if (slug !== null || externalId !== null)
        return names.transact(() => write(accountId, account, createdAt))
      await db.query(insert, toRow(accountId, account, createdAt))
      return 'created'
    },
  }
}

function toRow(
  id: string,
  { name, slug, externalId, metadata, allowedRoles }: AccountValues,
  createdAt: number,
): NewRow {
  return {
    id,
    name,
    slug,
    externalId,
    metadata: JSON.stringify(metadata),
    allowedRoles: allowedRoles === null ? null : JSON.stringify(allowedRoles),
    createdAt,
  }
}
