import Sqlite from 'better-sqlite3'
import { openClientele } from './clientele.ts'
import { executeWithoutIndexes } from './postgres.ts'

export interface LargeAccount {
  accountId: string
  apiKey: string
  users: number
}

const firstMs = 1_700_000_000_000
const rare = 20

/** When a user was created, in milliseconds since the epoch, and whether the user is active: SQL, of the user's number `n` */
export interface UserShape {
  createdAt: string
  isActive: string
}

const plain: UserShape = { createdAt: `${firstMs} + n`, isActive: 'true' }

/** An account with that many users, put in by SQL; 20 have the role `rare`, all have `member`. */
export async function createLargeAccount(
  url: string,
  users: number,
  shape = plain,
): Promise<LargeAccount> {
  const clientele = await openClientele(url, { cheapHashes: true })
  const account = await clientele.accounts.create({ name: `With ${users} users` })
  const key = await clientele.apiKeys.create(account.id)
  if (url.startsWith('postgres')) await fillPostgres(url, account.id, users, shape)
  else fillSqlite(url, account.id, users, shape)
  await clientele.accounts.recount(account.id)
  await clientele.close()
  return { accountId: account.id, apiKey: key.apiKey, users }
}

async function fillPostgres(
  url: string,
  accountId: string,
  users: number,
  { createdAt, isActive }: UserShape,
): Promise<void> {
  const id = `(lpad(to_hex(${firstMs} + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
  const tables = ['clientele_users', 'clientele_user_roles', 'clientele_user_words']
  await executeWithoutIndexes(url, tables, [
    `insert into clientele_users (account_id, id, email, name, name_key, roles, metadata, is_active, password_hash,
       created_at, updated_at, version, tokens_not_before)
     select '${accountId}'::uuid, ${id}, 'user' || n || '@example.com', 'User ' || n, 'user ' || n, '["member"]'::json,
       '{"plan":"pro"}'::json, ${isActive}, null, ${createdAt}, ${createdAt}, 1, ${firstMs} + n
     from generate_series(1::bigint, ${users}) n`,
    `insert into clientele_user_roles (account_id, role, user_id)
     select '${accountId}'::uuid, 'member', ${id} from generate_series(1, ${users}) n`,
    `insert into clientele_user_roles (account_id, role, user_id)
     select '${accountId}'::uuid, 'rare', ${id} from generate_series(${users / rare}, ${users}, ${users / rare}) n`,
    `insert into clientele_user_words (account_id, word, user_id)
     select '${accountId}'::uuid, n::text, ${id} from generate_series(1, ${users}) n`,
  ])
}

function fillSqlite(
  url: string,
  accountId: string,
  users: number,
  { createdAt, isActive }: UserShape,
): void {
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('synchronous = OFF')
  const numbers = (from: number, step: number) =>
    `(with recursive numbers(n) as (select ${from} union all select n + ${step} from numbers where n + ${step} <= ${users}) select n from numbers where n <= ${users})`
  const id = `substr(printf('%012x', ${firstMs} + n), 1, 8) || '-' || substr(printf('%012x', ${firstMs} + n), 9) || '-7000-8000-' || printf('%012x', n)`
  database.exec(`begin;
    insert into clientele_users (account_id, id, email, name, name_key, roles, metadata, is_active, password_hash,
      created_at, updated_at, version, tokens_not_before)
    select '${accountId}', ${id}, 'user' || n || '@example.com', 'User ' || n, 'user ' || n, '["member"]',
      '{"plan":"pro"}', ${isActive}, null, ${createdAt}, ${createdAt}, 1, ${firstMs} + n from ${numbers(1, 1)};
    insert into clientele_user_roles (account_id, role, user_id)
    select '${accountId}', 'member', ${id} from ${numbers(1, 1)}
    union all select '${accountId}', 'rare', ${id} from ${numbers(users / rare, users / rare)};
    insert into clientele_user_words (account_id, word, user_id)
    select '${accountId}', '' || n, ${id} from ${numbers(1, 1)};
    commit; analyze`)
  database.close()
}
