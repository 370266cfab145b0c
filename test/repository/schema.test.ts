import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'
import type { IsolationCase } from './isolation/case.ts'
import { isolationCases } from './isolation-cases.ts'
import { newTenant } from './world.ts'

/** SHA-256 of the SQL of each migration. A line is added with its migration, and never changed afterwards. */
const frozen: Record<string, Record<TestDatabase['name'], string>> = {
  '0001-initial': {
    sqlite: '40332eaabf623ed141f3c82b1e9fb592e6e1e82a4afcc0d3c94d4177c45f63b5',
    postgres: '93e51dc89e9ecd51f9caa7066b26dbe72faa0fa2994074f9271015022f706c86',
  },
  '0002-uncounted-accounts': {
    // Nothing: of no text
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'df81274c1e321c7b8a60ab9037d02f005c4812f02a8cfedbed916c263b8c7bb5',
  },
  '0003-events': {
    sqlite: '6a2f089f45ed68aaa39674101cd9207b75df55f70e6aefc775f39201105f1f54',
    postgres: '13e3d012ce2a39a90d15cd5ac7103405e294b264e31ab8b639641a7d6176af08',
  },
  '0004-idempotency': {
    sqlite: '7d611e5229c61978b473f6fb8bcc914c0035f5ffcca21851b277d442f266626a',
    postgres: '52d22c7c3c7399fe4e1e0db3c3c818810dd4e9382c48b4b3b5e496701af803d4',
  },
  '0005-webhooks': {
    sqlite: 'e5e5b7fa63b05d8466cd5ef2b6c7f9b54d0f13ca76d9df0673c068f9dfc83457',
    postgres: 'c1ed4604df230331990733c65a585471104cb0f772e7b7623329c615a02dc5c0',
  },
  '0006-audit-chain': {
    sqlite: '11b12bcff442ac1ca3974ff420613c661feabacdcb42cb5cebcbd6b9fd2a028e',
    postgres: '11b12bcff442ac1ca3974ff420613c661feabacdcb42cb5cebcbd6b9fd2a028e',
  },
  '0007-typed-emails': {
    sqlite: '3e036ba20dd8c42310626a963122b53340d0e2991431f8dc1120bb26556cdfa8',
    postgres: '3e036ba20dd8c42310626a963122b53340d0e2991431f8dc1120bb26556cdfa8',
  },
  '0008-account-signing-keys': {
    sqlite: '5e175de14812b642e60410762a56757cc19fada5586ce231f58dd0a02d532cb8',
    postgres: 'b739f717a35cd5be5fc6209c05d26fcea0f96e7d14da04bc77791424f9a98030',
  },
  '0009-former-emails': {
    sqlite: 'bcbcd9bfba883aa3ae4caed883fc52680d84055a5c0f8d9f6b25879764666349',
    postgres: '1caf39cbba61bf33c07e75218303d98751907b97ceea2e326c853a01deaee9d1',
  },
  '0010-issuer-settings': {
    sqlite: 'e60e4e1a069ef1ccb07a60933663043818c47397951133d03f3c4e7ed7c788c8',
    postgres: '342e5b23cbc4ae8796a49218fa7cf91ac65f63a9c410970a7e96b8fa363bbcd2',
  },
  '0011-identities': {
    sqlite: '651be0110ca4421fa69b761f91bef70cf6460f12d015c51b221cd3d0dd2643d6',
    postgres: '0d8317141de89bdd7e8a435444577bcde5718914e36772e4961424a7f5caeaa0',
  },
  '0012-passkeys': {
    sqlite: '465731cfc5c5a5ca42b24c922ce0671692c11a8588c1b093ec123ec51fdf2c24',
    postgres: '339e975d7319078712bd11b25d2c21e5ff5ba410981a67cb15c6c66e7def8625',
  },
  '0013-console-links': {
    sqlite: 'ae346961cd319af3380b4ea2ea21d31d96e56f2584bc9dd8bc1d35c56ea4ca13',
    postgres: '2ada8e0894258182a4d9af6b5b5ee21ac50aade3bdfd6b412a903068917fd467',
  },
  '0014-attempt-reasons': {
    sqlite: '7c1239836d3f1f33123fb71cedeb05f847985d41e222942da7db4be80b94136a',
    postgres: '7c1239836d3f1f33123fb71cedeb05f847985d41e222942da7db4be80b94136a',
  },
  '0015-events-of-users': {
    sqlite: 'd80e32a91830e6cceb7489c3c0dd33c45f3c69f9ed499bbe0236ee7a6a42817e',
    postgres: 'd80e32a91830e6cceb7489c3c0dd33c45f3c69f9ed499bbe0236ee7a6a42817e',
  },
  '0016-sign-ins-by-time': {
    sqlite: '6b039f840d49cbae5ca210eaca5c7f18cf86a4f8cd7da418b78dad4f4cd97e09',
    postgres: '6b039f840d49cbae5ca210eaca5c7f18cf86a4f8cd7da418b78dad4f4cd97e09',
  },
}

/** What belongs to no account, and what names an account itself. */
const tablesOfNoAccount = [
  'clientele_migrations',
  'clientele_accounts',
  'clientele_console_links',
  'clientele_console_sessions',
]

/** Statements that need not bind the account */
const free = [
  // Whose key it is, is what the look-up is for.
  /^select .* from "clientele_api_keys" as "k" .*where "k"\."hash" = /,
  // Secrets of all accounts are encrypted anew: the list says whose each of them is.
  /^update "clientele_mfa_factors" set "encrypted_totp_secret" .*"account_id" = "r"\."accountId"/,
  // Keys of all accounts are found by the secret that they are under.
  /^select .* from "clientele_signing_keys" where "encrypted_under" < /,
  // The ends of the feeds of all accounts that somebody waits for, in one list
  /^select "a"\."value" as "accountId", /,
  // What has expired goes from all accounts, a page of them at once.
  /^delete from "clientele_\w+" where \(account_id, "\w+"\) in /,
  /^select "a"\."id", .* from "clientele_accounts" as "a" /,
  // Whether there is any account at all
  /^select "id" from "clientele_accounts" limit /,
]

/** Whether it is a list for one statement about several accounts: each of its rows says whose it is. */
function isListWith(accountId: string, value: unknown): boolean {
  return typeof value === 'string' && /^\[[{"]/.test(value) && value.includes(`"${accountId}"`)
}

const uniqueKeys: Record<TestDatabase['name'], string> = {
  sqlite: `
    select m.name as "table", l.name as "key", group_concat(i.name, ' ' order by i.seqno) as "columns"
    from sqlite_master m, pragma_index_list(m.name) l, pragma_index_info(l.name) i
    where m.type = 'table' and m.name like 'clientele_%' and l."unique" = 1
    group by m.name, l.name`,
  postgres: `
    select t.relname as "table", i.relname as "key", string_agg(a.attname, ' ' order by k.place) as "columns"
    from pg_index x
      join pg_class t on t.oid = x.indrelid
      join pg_class i on i.oid = x.indexrelid
      cross join unnest(x.indkey) with ordinality as k(number, place)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
    where x.indisunique and t.relname like 'clientele_%'
    group by t.relname, i.relname`,
}

describe.each(databases)('the schema on $name', ({ name, openEmpty }) => {
  let database: OpenDatabase
  let recorded: RecordedRepository
  let migrations: Map<string, string[]>

  beforeAll(async () => {
    database = await openEmpty()
    recorded = openRecorded(database.url)
    await recorded.repository.storage.migrate()
    migrations = new Map()
    let statements: string[] = []
    for (const { sql, values } of recorded.take()) {
      if (/^insert into "clientele_migrations"/.test(sql)) {
        migrations.set(String(values[0]), statements)
        statements = []
      } else if (/^(create|alter|drop|insert|update|delete) /.test(sql)) {
        // Made by the machinery of migrations, before the first of them
        if (!sql.includes('"clientele_migrations"')) statements.push(sql)
      }
    }
  })
  afterAll(async () => {
    await recorded.close()
    await database.close()
  })

  test('a migration stays as it was released', () => {
    const hashes = [...migrations].map(([migration, statements]) => {
      const hash = createHash('sha256').update(statements.join(';\n')).digest('hex')
      return [migration, hash] as const
    })
    expect(hashes.length).toBeGreaterThan(0)
    for (const [migration, hash] of hashes) {
      const help =
        frozen[migration] === undefined
          ? `${migration} is new: write its hashes into the table at the top of this file.`
          : `${migration} has changed, and databases out there have it already. Leave it as it was, and add a migration in packages/core/src/sql/migrations that changes the schema from there.`
      expect(hash, help).toBe(frozen[migration]?.[name])
    }
    expect(Object.keys(frozen)).toEqual(hashes.map(([migration]) => migration))
  })

  test('every unique key begins with the account', async () => {
    const keys = (await runSql(database.url, uniqueKeys[name])) as {
      table: string
      key: string
      columns: string
    }[] // what the statement selects
    const ofAccounts = keys.filter(({ table }) => !tablesOfNoAccount.includes(table))
    expect(new Set(ofAccounts.map(({ table }) => table)).size).toBeGreaterThan(10)
    const wrong = ofAccounts.filter(({ columns }) => !/^account_id( |$)/.test(columns))
    expect(wrong).toEqual([])
  })

  const cases = Object.entries(isolationCases).flatMap(([store, ofStore]) =>
    Object.entries<IsolationCase>(ofStore).flatMap(([method, isolation]) =>
      typeof isolation === 'function' ? [{ method: `${store}.${method}`, isolation }] : [],
    ),
  )

  test.each(cases)(
    'every statement of $method binds the account',
    async ({ method, isolation }) => {
      const mine = await newTenant(recorded.repository)
      const theirs = await newTenant(recorded.repository)
      recorded.take()
      await isolation(recorded.repository, mine, theirs)
      const statements = recorded.take().filter(({ sql }) => /"clientele_/.test(sql))
      expect(statements.length).toBeGreaterThan(0)
      const wrong = statements.filter(
        ({ sql, values }) =>
          ![mine, theirs].some(({ accountId }) =>
            values.some((value) => value === accountId || isListWith(accountId, value)),
          ) &&
          !free.some((pattern) => pattern.test(sql)),
      )
      expect(wrong.map(({ sql }) => `${method}: ${sql}`)).toEqual([])
    },
  )
})
