import Sqlite from 'better-sqlite3'
import { createLargeAccount, type LargeAccount } from './large-account.ts'
import { executeWithoutIndexes } from './postgres.ts'

const dayMs = 86_400_000
const eventsPerUser = 3

/**
 * A large account in which every tenth user is inactive and every fifth is signed in, with users of a year, and with
 * three events a user of the last 30 days, five in nine of them successful sign-ins, and one a failed one; put in by
 * SQL.
 */
export async function createLivelyAccount(url: string, users: number): Promise<LargeAccount> {
  const isPostgres = url.startsWith('postgres')
  const now = Date.now()
  const account = await createLargeAccount(url, users, {
    createdAt: `${now} - (n * 7 % 365) * ${dayMs}`,
    isActive: 'n % 10 <> 0',
  })
  const [cast, json] = isPostgres ? ['::uuid', '::json'] : ['', '']
  const hex = (number: string) =>
    isPostgres ? `lpad(to_hex(${number}), 12, '0')` : `printf('%012x', ${number})`
  const idOf = (milliseconds: string) =>
    `(substr(${hex(milliseconds)}, 1, 8) || '-' || substr(${hex(milliseconds)}, 9) || '-7000-8000-' || ${hex('n')})${cast}`
  const numbers = (count: number) =>
    isPostgres
      ? `generate_series(1::bigint, ${count}) n`
      : `(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s) s`
  const events = eventsPerUser * users
  const at = `${now} - ((${events} - n) * ${30 * dayMs} / ${events})`
  const accountId = `'${account.accountId}'${cast}`
  const end = now + 30 * dayMs
  const statements = [
    `insert into clientele_sessions (account_id, id, user_id, amr, created_at, last_used_at, expires_at, ends_at,
       successor_seed, refresh_token_hash)
     select account_id, id, id, '["pwd"]'${json}, created_at, created_at, ${end}, ${end}, 'seed', 'hash'
     from clientele_users where account_id = ${accountId} order by id limit ${users / 5}`,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id,
       data, position)
     select ${accountId}, ${idOf(at)}, case n % 9 when 0 then 'user.updated' when 1 then 'user.created'
         when 2 then 'session.ended' when 3 then 'user.login_failed' else 'user.logged_in' end,
       ${at}, 'user', 'a request', 'user', 'user ' || (n % ${users}), '{}', n
     from ${numbers(events)}`,
  ]
  if (isPostgres)
    await executeWithoutIndexes(url, ['clientele_sessions', 'clientele_events'], statements)
  else {
    const database = new Sqlite(url.replace('sqlite:', ''))
    database.pragma('synchronous = OFF')
    database.exec(`begin; ${statements.join(';')}; commit; analyze`)
    database.close()
  }
  return account
}
