import { sql } from 'kysely'
import type { SecretStore, StoredSecret } from '../base/crypto/stored-secrets.ts'
import { lowestId } from '../base/input/id.ts'
import type { Db } from '../sql/db.ts'
import { recordsFrom } from '../sql/records-from.ts'
import { type EncryptedColumn, listEncrypted } from '../sql/tables/tables.ts'
import { writeByAccount } from '../sql/write-by-account.ts'

const secretsAtOnce = 500
/** Sorts after the prefix of every encrypted text */
const end = '~'

type Place = Pick<StoredSecret, 'under' | 'accountId' | 'id'>
type ListValues = Place & { prefix: string; end: string }

/** Lists and replaces the encrypted values of every column that declares them. */
export function createSecretStore(db: Db): SecretStore {
  // With a column that names the secret, the index skips rows under the first secret.
  const sources = listEncrypted().flatMap((encrypted) => {
    const source = {
      ...encrypted,
      select: createSelect(db, encrypted),
      update: createUpdate(db, encrypted),
      rangeOf: (_prefix: string) => ({ under: '', end }),
    }
    return encrypted.marker === undefined
      ? [source]
      : [
          { ...source, rangeOf: (prefix: string) => ({ under: '', end: prefix }) },
          { ...source, rangeOf: (prefix: string) => ({ under: prefix + end, end }) },
        ]
  })

  return {
    listStaleSecrets: async (prefix, { ofUsers, after }) => {
      for (const [number, { kind, isOfUsers, rangeOf, select }] of sources.entries()) {
        if (number < (after?.source ?? 0) || (isOfUsers && !ofUsers)) continue
        const range = { ...rangeOf(prefix), accountId: lowestId, id: lowestId }
        const place = after?.source === number ? after : undefined
        const secrets = await db.query(select, { prefix, ...range, ...place })
        if (secrets.length > 0)
          return secrets.map((secret) => ({ ...secret, source: number, kind }))
      }
      return []
    },
    replaceSecrets: async (secrets, prefix) => {
      const update = sources[secrets[0]?.source ?? 0]?.update
      if (update === undefined) return
      await writeByAccount(db, update, secrets, (accountId, ofAccount) => ({
        accountId,
        secrets: JSON.stringify(ofAccount),
        prefix,
      }))
    },
  }
}

/** The values that are not under the prefix, sorted by their secret if a column names it */
function createSelect(db: Db, { table, column, key, marker }: EncryptedColumn) {
  return db.statement<ListValues>()((queries, value) => {
    const encrypted = sql.ref<string>(column)
    const prefix = db.typed(value('prefix'), 'text')
    const place = [
      ...(marker === undefined ? [] : [[sql.ref(marker), db.typed(value('under'), 'text')]]),
      [sql.ref('account_id'), db.typed(value('accountId'), 'id')],
      [sql.ref(key.name), db.typed(value('id'), key.kind)],
    ]
    const columns = place.map(([name]) => name)
    return queries
      .selectFrom(table as 'clientele_webhooks') // each of these tables has the column
      .select([
        'account_id as accountId',
        sql.ref<string>(key.name).as('id'),
        encrypted.as('encrypted'),
        (marker === undefined ? sql.lit('') : sql.ref<string>(marker)).as('under'),
      ])
      .where(
        marker === undefined
          ? sql<boolean>`substr(${encrypted}, 1, length(${prefix})) <> ${prefix}`
          : sql<boolean>`${sql.ref(marker)} < ${value('end')}`,
      )
      .where(sql<boolean>`(${sql.join(columns)}) > (${sql.join(place.map(([, after]) => after))})`)
      .orderBy(sql`${sql.join(columns)}`)
      .limit(sql.lit(secretsAtOnce))
  })
}

function createUpdate(db: Db, { table, column, key, marker }: EncryptedColumn) {
  return db.statement<{ accountId: string; secrets: string; prefix: string }>()((queries, value) =>
    recordsFrom(
      queries,
      db.features
        .recordsOfJsonArray<{
          id: string
          encrypted: string
          reencrypted: string
        }>(value('secrets'), {
          id: key.kind,
          encrypted: 'text',
          reencrypted: 'text',
        })
        .as('r'),
    )
      .updateTable(table as 'clientele_webhooks') // the columns belong to the table
      .from('r')
      .set((of) => ({
        [column]: of.ref('r.reencrypted'),
        ...(marker !== undefined && { [marker]: value('prefix') }),
      }))
      .where(sql.ref<string>(`${table}.account_id`), '=', value('accountId'))
      .where(
        ({ selectFrom }) =>
          sql<boolean>`${sql.ref(`${table}.${key.name}`)} in ${selectFrom('r').select('r.id')}`,
      )
      .where(sql.ref(`${table}.${key.name}`), '=', sql.ref('r.id'))
      .where(sql.ref(`${table}.${column}`), '=', sql.ref('r.encrypted')),
  )
}
