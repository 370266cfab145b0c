import { type RawBuilder, sql } from 'kysely'
import { lowestId } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import type { Column } from '../../../sql/tables/column.ts'
import { tables } from '../../../sql/tables/tables.ts'
import { letOthersWrite } from '../let-others-write.ts'

/** How many rows one statement deletes at most: on SQLite all other work waits for it, and a row may have 30 KB. */
const rowsAtOnce = (db: Db): number => (db.features.isInProcess ? 100 : 500)

/** The tables of which callers can fill any number of rows, with the columns after `account_id` by which rows are found. */
const growing = {
  clientele_webhook_deliveries: ['webhook_id', 'event_id'],
  clientele_sessions: ['id'],
  clientele_challenges: ['hash'],
  clientele_email_tokens: ['hash'],
  clientele_passkey_ceremonies: ['hash'],
  clientele_passkeys: ['id'],
  clientele_sign_in_codes: ['email'],
  clientele_email_changes: ['hash'],
  clientele_devices: ['id'],
  clientele_user_tokens: ['id'],
  clientele_recovery_codes: ['user_id', 'hash'],
  clientele_identities: ['id'],
  clientele_user_roles: ['role', 'user_id'],
  clientele_user_words: ['word', 'user_id'],
  clientele_former_emails: ['user_id', 'email'],
  clientele_replies: ['operation', 'key'],
  clientele_used_id_tokens: ['digest'],
  clientele_scim_groups: ['id'],
  clientele_imports: ['source'],
  clientele_rate_limits: ['key'],
  clientele_events: ['id'],
} as const satisfies { [Name in keyof typeof tables]?: readonly [string, string?] }

type Growing = keyof typeof growing

interface Range {
  accountId: string
  /** The end of the part before, and of this one; the second column is not bound if there is one column */
  after0: string
  after1: string
  until0: string
  until1: string
}

/**
 * Makes the function that deletes the rows of an account in parts, up to a few that are deleted with the account: one
 * statement for all of them would block other requests on SQLite, and take longer than PostgreSQL may.
 */
export function createShortenAccount(db: Db): (accountId: string) => Promise<void> {
  const shorten = (Object.keys(growing) as Growing[]).map((table) => createShorten(db, table)) // its own keys

  return async (accountId) => {
    for (const each of shorten) await each(accountId)
  }
}

function createShorten(db: Db, table: Growing): (accountId: string) => Promise<void> {
  const names: readonly string[] = growing[table]
  const columns = tables[table].columns as Record<string, Column>
  const kinds = names.map((name) => columns[name]?.kind ?? 'text') // each is a column
  const key = tuple(names.map((name) => sql.ref(name)))
  const least = kinds.map((kind) => (kind === 'id' ? lowestId : ''))

  const findEnd = db.statement<Range>()((queries, value) => {
    const after = [value('after0'), value('after1')]
    return queries
      .selectFrom(table)
      .select(names.map((name, index) => sql<string>`${sql.ref(name)}`.as(`until${index}`)))
      .where('account_id', '=', value('accountId'))
      .where(sql<boolean>`${key} > ${tuple(kinds.map((kind, at) => typed(after, kind, at)))}`)
      .orderBy(sql.join(names.map((name) => sql.ref(name))))
      .limit(sql.lit(1))
      .offset(sql.lit(rowsAtOnce(db)))
  })
  const deleteRange = db.statement<Range>()((queries, value) => {
    const after = [value('after0'), value('after1')]
    const until = [value('until0'), value('until1')]
    return queries
      .deleteFrom(table)
      .where('account_id', '=', value('accountId'))
      .where(sql<boolean>`${key} > ${tuple(kinds.map((kind, at) => typed(after, kind, at)))}`)
      .where(sql<boolean>`${key} <= ${tuple(kinds.map((kind, at) => typed(until, kind, at)))}`)
  })

  function typed(
    values: readonly Parameters<typeof db.typed<string>>[0][],
    kind: Column['kind'],
    at: number,
  ) {
    const value = values[at]
    if (value === undefined) throw new Error('A key has two columns at most.')
    return db.typed(value, kind)
  }

  return async (accountId) => {
    const [first = '', second = ''] = least
    let after = { after0: first, after1: second }
    for (;;) {
      const start = { accountId, ...after, until0: '', until1: '' }
      const end = await db.queryOne(findEnd, start)
      if (end === undefined) return
      const { until0 = '', until1 = '' } = end as Partial<Pick<Range, 'until0' | 'until1'>> // as it selects
      await db.query(deleteRange, { ...start, until0, until1 })
      after = { after0: until0, after1: until1 }
      await db.rest()
      if (db.features.isInProcess) await letOthersWrite()
    }
  }
}

/** A row value of several columns; of one it is the column itself, which every database can search for. */
function tuple(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return parts.length === 1 ? sql`${parts[0]}` : sql`(${sql.join(parts)})`
}
