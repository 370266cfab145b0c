import Sqlite from 'better-sqlite3'
import { openClientele } from './clientele.ts'
import { executeWithoutIndexes } from './postgres.ts'

const firstMs = 1_700_000_000_000

/** Accounts that do nothing, put in by SQL: each with a key and an event that is read, each tenth with an endpoint. */
export async function seedAccounts(
  url: string,
  count: number,
): Promise<{ accountIds: readonly string[] }> {
  const clientele = await openClientele(url)
  const { id: first } = await clientele.accounts.create({ name: 'First' })
  await clientele.webhooks.create(first, { url: 'https://example.com/', types: ['*'] })
  await clientele.close()
  const isPostgres = url.startsWith('postgres')
  const [cast, json] = isPostgres ? ['::uuid', '::json'] : ['', '']
  const hex = isPostgres ? `lpad(to_hex(n), 12, '0')` : `printf('%012x', n)`
  const id = `('018bcfe5-6800-7000-8000-' || ${hex})${cast}`
  const from = isPostgres
    ? `from generate_series(1::bigint, ${count}) n`
    : `from (with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s) s`
  const statements = [
    `insert into clientele_accounts (id, name, created_at) select ${id}, 'Account ' || n, ${firstMs} ${from}`,
    `insert into clientele_api_keys (account_id, id, name, scopes, prefix, hash, created_at)
     select ${id}, ${id}, 'key', '["users:read"]'${json}, 'cu_live_', 'hash ' || ${hex}, ${firstMs} ${from}`,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data, position)
     select ${id}, ${id}, 'account.created', ${firstMs}, 'system', 'a request', 'account', '{}', 1 ${from}`,
    `insert into clientele_event_feeds (account_id, last_position, purged_position) select ${id}, 1, 0 ${from}`,
    `insert into clientele_webhooks (account_id, id, url, types, description, is_active, encrypted_secret, created_at,
       updated_at, position, attempt_count, lease_until)
     select ${id}, ${id}, 'https://example.com/', '["*"]'${json}, '', true,
       (select encrypted_secret from clientele_webhooks limit 1), ${firstMs}, ${firstMs}, 1, 0, 0 ${from}
     where n % 10 = 0`,
  ]
  const tables = [
    'clientele_accounts',
    'clientele_api_keys',
    'clientele_events',
    'clientele_event_feeds',
    'clientele_webhooks',
  ]
  if (isPostgres) await executeWithoutIndexes(url, tables, statements)
  else {
    const database = new Sqlite(url.replace('sqlite:', ''))
    database.pragma('synchronous = OFF')
    database.exec(`begin; ${statements.join(';')}; commit; analyze`)
    database.close()
  }
  const idOf = (number: number) =>
    `018bcfe5-6800-7000-8000-${number.toString(16).padStart(12, '0')}`
  return { accountIds: Array.from({ length: count }, (_, index) => idOf(index + 1)) }
}
