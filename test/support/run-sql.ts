import Sqlite from 'better-sqlite3'
import { Client } from 'pg'

/** Runs statements behind the repository's back, and answers with the rows of the last. */
export async function runSql(url: string, ...statements: string[]): Promise<unknown[]> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length))
    try {
      const rows = statements.map((text) => {
        const statement = database.prepare(text)
        return statement.reader ? statement.all() : [statement.run()]
      })
      return rows.at(-1) ?? []
    } finally {
      database.close()
    }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const text of statements) rows = (await client.query(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

/**
 * Keeps the server from analysing our tables by itself, so that its statistics do not depend on when it comes by. SQLite
 * analyses nothing by itself.
 */
export async function stopAutovacuum(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return
  const tables = (await runSql(
    url,
    "select relname from pg_class where relkind = 'r' and relname like 'clientele_%'",
  )) as { relname: string }[] // what the statement selects
  const alter = ({ relname }: { relname: string }) =>
    `alter table ${relname} set (autovacuum_enabled = false)`
  await runSql(url, ...tables.map(alter))
}

/** An expression that pads a number with zeros to 12 hexadecimal digits, in each database's own words. */
function idOf(url: string, number: string): string {
  const hex = url.startsWith('sqlite:')
    ? `printf('%012x', ${number})`
    : `lpad(to_hex(${number}), 12, '0')`
  return `'019dfae2-6a4d-7000-8000-' || ${hex}`
}

/**
 * Stores users without counting them. User number n has the e-mail `user<n>@example.com` and an id in ascending order,
 * 4096 apart; every 1000th has the role `rare`, the others `group 0` to
 * `group 19`; every second is active; one was created each millisecond from 1001 on.
 */
export async function insertUsers(url: string, accountId: string, count: number): Promise<void> {
  const isSqlite = url.startsWith('sqlite:')
  const numbers = isSqlite
    ? `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count})`
    : `with s(n) as (select generate_series(1, ${count}))`
  const id = idOf(url, 'n * 4096 + 1')
  const cast = isSqlite ? '' : '::uuid'
  const flag = isSqlite ? 'n % 2' : 'n % 2 = 1'
  await runSql(
    url,
    `insert into clientele_users (account_id, id, email, name, name_key, roles, metadata, is_active, password_hash,
       created_at, updated_at, version, tokens_not_before)
     ${numbers}
     select '${accountId}'${cast}, (${id})${cast}, 'user' || n || '@example.com', 'Name ' || n, 'name ' || n, '[]', '{}',
       ${flag}, null, 1000 + n, 1000 + n, 1, 0 from s`,
    `insert into clientele_user_roles (account_id, role, user_id)
     ${numbers}
     select '${accountId}'${cast}, case when n % 1000 = 0 then 'rare' else 'group ' || (n % 20) end, (${id})${cast}
     from s`,
    // The further words of `Name <n>`
    `insert into clientele_user_words (account_id, word, user_id)
     ${numbers}
     select '${accountId}'${cast}, '' || n, (${id})${cast} from s`,
  )
}

/** Stores events, the only ones of the account: number n has the place n, and is from n milliseconds after `since`. */
export async function insertEvents(
  url: string,
  accountId: string,
  since: number,
  count: number,
): Promise<void> {
  const isSqlite = url.startsWith('sqlite:')
  const numbers = isSqlite
    ? `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count})`
    : `with s(n) as (select generate_series(1, ${count}))`
  const cast = isSqlite ? '' : '::uuid'
  const hex = isSqlite ? `printf('%012x', ${since} + n)` : `lpad(to_hex(${since} + n), 12, '0')`
  const id = `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-000000000000'`
  await runSql(
    url,
    `delete from clientele_events where account_id = '${accountId}'`,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data, position)
     ${numbers}
     select '${accountId}'${cast}, (${id})${cast}, 'account.updated', ${since} + n, 'system', 'request', 'account', '{}', n
     from s`,
  )
}

/** An expression for an id that has the row's number in it. */
export function numberedId(url: string): string {
  const id = idOf(url, 'n * 4096 + 1')
  return url.startsWith('sqlite:') ? id : `(${id})::uuid`
}

/** Stores rows that have `n` in their expressions, from 1 on. */
export async function insertRows(
  url: string,
  table: string,
  count: number,
  values: Record<string, string>,
): Promise<void> {
  const numbers = url.startsWith('sqlite:')
    ? `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count})`
    : `with s(n) as (select generate_series(1, ${count}))`
  const expressions = Object.values(values).map((value) =>
    /^'[0-9a-f-]{36}'$/.test(value) && !url.startsWith('sqlite:') ? `${value}::uuid` : value,
  )
  await runSql(
    url,
    `insert into ${table} (${Object.keys(values).join(', ')}) ${numbers} select ${expressions.join(', ')} from s`,
  )
}
