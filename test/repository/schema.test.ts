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
    sqlite: 'ba74989ab9a3337c2538b5481458358250e43a86ad3a55db087d458ed7e567a5',
    postgres: '9229741ad5c5f489768beaadf6ca96e39ffe9d689a6bc9bd86b221d6d59f91c2',
  },
  '0002-ceremony-sessions': {
    sqlite: '3375a5ec9d7943b17973a6da09e519610cb72a0a52112ff572914d8af405d75e',
    postgres: '7ac93177b0ae462211fd4fdf54da2b3ee7f0b7a824bd89acddc95c69a41cd91a',
  },
  '0003-news-indexes': {
    sqlite: '99a8289fdb4f36b2b8c1835b36e7058cadba088bf5643b28eba1df8fd4cd9cd6',
    postgres: '6b5075cf0224027320d13ee73b9f9bfa5e5079715b5a87df613ad3353f5f49a4',
  },
  '0004-import-times': {
    sqlite: 'dcd219561fdd39e505f520a335287928c872cfe3938f84e3a8449d60bcbfb3d3',
    postgres: 'dfe4906c246959df52630cb602733657be41714f340240e9fa957710dca05299',
  },
  '0005-account-names': {
    sqlite: '78f17fe56565e3ef4a3e97bf83c352bb67ffd905bb09de37e2b75e485c4dfb3e',
    postgres: '4d6b68ce5eab5acd6179f73ed085fa5c5468765a8bd4d0acb89885043a1e5c5c',
  },
  '0006-authentication-times': {
    sqlite: '7b75f6f83721395140b1008afe96ff4ad08260ef0f6e79401a5aada910fa38f5',
    postgres: '7506903cb485e1d2b94193f704da6da60b6b993634ff8196cdc2831fc4243e7b',
  },
  '0007-account-policies': {
    sqlite: 'be01077062d2b02c0ab8b956602fae9f83d33d877b40b4f6150e18a75fbb4eaf',
    postgres: 'be01077062d2b02c0ab8b956602fae9f83d33d877b40b4f6150e18a75fbb4eaf',
  },
  '0008-sign-in-codes': {
    sqlite: '492e3806d9f547de946d20569b091b391b980a91705a2392ec7ceac79176a965',
    postgres: 'efedede520c9a2a0295a8e953f338fff9f5e68d83d3b10ff86c6e78b316325b9',
  },
  '0009-devices': {
    sqlite: '88117d2ad17ba4588c33e3ce1791ac4f0a73df1437b3e8f1f3c02ba7804ed4fc',
    postgres: '3f1891e296fcd21785e2cdf3c3b25dbdb9b4eab5e7ab350682d04702b4ee1608',
  },
  '0010-impersonations': {
    sqlite: 'ddf30f96ea87b6b8b6136259900ad7e5820b15d6d5abc6f0f4241df8d5f73883',
    postgres: 'ddf30f96ea87b6b8b6136259900ad7e5820b15d6d5abc6f0f4241df8d5f73883',
  },
  '0011-scim': {
    sqlite: '1f4ee9a927bc7d5cefd0dd15f8809f12e0c9d6861d21b8e0757fd9b5d88ecb8e',
    postgres: '8ff8b2ec81c586342fc506a0bfe3981016456d6ebe1ab47fbaabcc0992370318',
  },
  '0012-user-tokens': {
    sqlite: 'f7cedba0b0fe62f45644cfa71d12bee34868e98048b609db180f0fbde680009c',
    postgres: '59eb5f52bcaec035f6df164e06803cdf876acca3a2d3f4a7efecee0890f5c33f',
  },
  '0013-email-changes': {
    sqlite: 'b1f407f1173f62a3190209ec26f2c0942821dffe85fc27aab66cb1a4cd13cacf',
    postgres: '23835e8fbe338d2d7f2c35684493da4b6f32210e3f68e0f41a5e68c0ed3d7244',
  },
  // PostgreSQL collects statistics by itself.
  '0014-expected-sizes': {
    sqlite: '7972e651724a0cd6312fe55fbeacb965bca76db779fa6a53ef385ae53333f480',
    postgres: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
  '0015-exchanged-tokens': {
    sqlite: 'f4ee243c5815bf11d44cc713b8e659ba8697f9f036b6349eceec429f1331215d',
    postgres: '9d34e8b19aa79a926e80407a7409d342cacfc847a4ef669408353a8044430974',
  },
  '0016-actors': {
    sqlite: '8f896dd9a0dac9568c8230d2759f7fe3f6ab4e94201266ab94a00daf16581577',
    postgres: '170a4cd695ac9c082fd9daa24aa1b3b3cea81125ba2a2d19cdf8331f7f1faac0',
  },
  '0017-waiting-tests': {
    sqlite: '381f2e2616aca3208af30fb0b4c320709b18f5b6c2c108ca0b57ad98569a72fd',
    postgres: '381f2e2616aca3208af30fb0b4c320709b18f5b6c2c108ca0b57ad98569a72fd',
  },
  '0018-former-roles': {
    sqlite: '0970ee04b3ab033999e5df0e303fc2183d1da4b6cfa77f349c7e51305bd67f8e',
    postgres: '3d5d78775f7b49dd56798aa0d3148a24f6c61e5e511b28b979a0c8fabbc7c381',
  },
  '0019-factor-changes': {
    sqlite: '8c231dfd0f48aa23fbede8476c95d888026d4401e8acb75fe7579769d1e4ab04',
    postgres: '0a3515fef03318c057165216f97005871863ede2a3a743176bdc3a6e8ed2109b',
  },
  '0020-scim-leases': {
    sqlite: '027934c3aa5968939fd53c0c200852a398b4ff5b3f2d532a6b59d927cf0fd711',
    postgres: 'a6691659fa623dd751f32fff16a6db4f27568cfec48199a37eceead0d6476611',
  },
  '0021-former-members': {
    sqlite: 'dea6d101eec3bd1557b2af7b5524b0b470d568e8cb4fc52fe640256b8eb8c1ea',
    postgres: 'ade0dc6f63983bfc02c8d9d0e486dfcb8ba70ce7ab3e8a4cb636d363290fb2be',
  },
  '0022-subject-index': {
    sqlite: 'b1d0f1822bdb838bcd84cc1b8dbdc3073183846f33c4c5122f05e220ed942c3b',
    postgres: 'b1d0f1822bdb838bcd84cc1b8dbdc3073183846f33c4c5122f05e220ed942c3b',
  },
  '0023-attempt-index': {
    sqlite: '5e6b298eecbb24d917fa90e335ec8bd992fa752146e26b1d48febf8ddd22936e',
    postgres: '5e6b298eecbb24d917fa90e335ec8bd992fa752146e26b1d48febf8ddd22936e',
  },
}

/** What belongs to no account, and what names an account itself. */
const tablesOfNoAccount = [
  'clientele_migrations',
  'clientele_accounts',
  'clientele_account_names',
  'clientele_console_links',
  'clientele_console_sessions',
]

/** Statements that need not bind the account */
const free = [
  // Whose key it is, is what the look-up is for.
  /^select .* from "clientele_api_keys" as "k" .*where "k"\."hash" = /,
  // Which of several keys are stored, before it is known whose they are
  /^select "hash" from "clientele_api_keys" where "hash" = /,
  // Secrets of all accounts are found by what they are encrypted under.
  /^select "account_id" as "accountId", "\w+" as "id", "\w+" as "encrypted", /,
  // The ends of the feeds of all accounts with waiting readers, in one list
  /^select "a"\."id" as "accountId", /,
  // What has expired is found in all accounts, a page of them at once.
  /^select "account_id" as "accountId" from "clientele_\w+" where "account_id" (in|= any)/,
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

/** What Citus refuses where the tables are distributed by account already; `statements` are those of one migration. */
function listRefusedByCitus(statements: readonly string[]): string[] {
  const created = statements.flatMap((sql) => /^create table "(\w+)"/.exec(sql)?.[1] ?? [])
  return statements.filter((sql) => {
    const table = /^alter table "(\w+)"|^create unique index .* on "(\w+)"/.exec(sql)
    const name = table?.[1] ?? table?.[2] ?? ''
    if (table === null || created.includes(name) || tablesOfNoAccount.slice(2).includes(name))
      return false
    if (/alter column "?account_id"?|set statistics/.test(sql)) return true
    const key =
      /unique index .*? on "\w+" \((.*)|(?:unique|primary key|foreign key) \(([^)]*)/.exec(sql)
    return key !== null && !/"account_id"|"clientele_accounts" \("id"/.test(sql)
  })
}

test.each([
  ['alter table "clientele_users" add column "nickname" text', false],
  ['alter table "clientele_users" alter column "name" type varchar', false],
  ['alter table "clientele_users" alter column account_id type uuid', true],
  ['alter table "clientele_users" alter column "name" set statistics 0', true],
  ['alter table "clientele_users" add constraint "k" unique ("email")', true],
  ['alter table "clientele_users" add constraint "k" unique ("account_id", "name")', false],
  ['create unique index "k" on "clientele_users" ("name")', true],
  ['create unique index "k" on "clientele_users" ("account_id", "name")', false],
  ['create index "k" on "clientele_users" ("name")', false],
])('on a distributed table: %s, refused: %s', (sql, isRefused) => {
  expect(listRefusedByCitus([sql])).toEqual(isRefused ? [sql] : [])
  expect(listRefusedByCitus(['create table "clientele_users" ()', sql])).toEqual([])
})

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

  test('no migration has a step that Citus refuses', () => {
    expect([...migrations.values()].flatMap(listRefusedByCitus)).toEqual([])
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
          ) && !free.some((pattern) => pattern.test(sql)),
      )
      expect(wrong.map(({ sql }) => `${method}: ${sql}`)).toEqual([])
    },
  )
})
