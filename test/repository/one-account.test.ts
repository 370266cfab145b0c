import type { Repository } from '@clientele/core'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpContract } from '../http/http-contract.ts'
import { time } from '../http/support/answers.ts'
import {
  Clock,
  type Combination,
  createTenant,
  openClientele,
  openMailing,
  openOnSame,
  World,
} from '../http/support/world.ts'
import { bare } from '../http/targets/bare.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { readTableReferences } from '../support/read-statement.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { planOf } from '../support/sqlite-plan.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'
import { acrossAccounts, callAcrossAccounts } from './across-accounts.ts'
import { isolationCases } from './isolation-cases.ts'
import { describeRepositoryContract } from './repository-contract.ts'

/** How many different statements the contract runs at least: fewer have not been seen. */
const minStatements = 240

/** Methods that run no statement of their own */
const withoutStatement = [
  'system',
  'poolLoad',
  'waitingWrites',
  'close',
  'host',
  'localSecret',
  'readTime',
].map((name) => `storage.${name}`)

/** Methods that a store in the other database has not */
const onOneOnly = { sqlite: ['users.listEncoded'], postgres: [] }

describe('a statement is read', () => {
  const users = 'from "clientele_users" as "u"'
  test.each([
    [`select 1 ${users} where "u"."account_id" = $1 and "u"."id" = $2`, []],
    [`select 1 ${users} where ("u"."id" = +? and "account_id" = cast(+? as text))`, []],
    [`select 1 ${users} where "u"."id" = $1`, ['u']],
    [`select 1 ${users} where "u"."account_id" = $1 or "u"."id" = $2`, ['u']],
    [`select 1 ${users} where not ("u"."account_id" = $1)`, ['u']],
    [`select 1 ${users} where "u"."account_id" in ($1)`, ['u']],
    [`select 1 ${users} where "u"."account_id" = "x"."account_id"`, ['u']],
    [
      `select (select 1 from "clientele_accounts" as "a" where "a"."id" = "u"."account_id") ${users} where "u"."account_id" = $1`,
      ['a'],
    ],
    [
      `select 1 ${users} left join "clientele_sessions" as "s" on "s"."user_id" = "u"."id" where "u"."account_id" = $1`,
      ['s'],
    ],
    [`with "c" as (delete ${users} where "u"."id" = $1) select 1 from "c"`, ['u']],
    ['insert into "clientele_users" ("id", "account_id") values ($1, $2)', []],
    [
      'insert into "clientele_users" ("id", "account_id") values ($1, $2), ($3, null)',
      ['clientele_users'],
    ],
    [
      'insert into "clientele_users" ("id", "account_id") select "c"."id", cast($1 as uuid) as "account_id" from "c"',
      [],
    ],
    [
      'insert into "clientele_users" ("account_id") select "c"."account_id" from "c"',
      ['clientele_users'],
    ],
    [
      `insert into "clientele_roles" ("account_id") select "account_id" ${users} where "account_id" = $1`,
      [],
    ],
    [
      `insert into "clientele_roles" ("account_id") select "account_id" ${users}`,
      ['u', 'clientele_roles'],
    ],
    ['update "clientele_accounts" set "name" = $1 where "id" = $2', []],
    ['update "clientele_accounts" set "id" = $1', ['clientele_accounts']],
  ])('%s', (sql, unbound) => {
    const found = readTableReferences(sql).filter(({ isOfOneAccount }) => !isOfOneAccount)
    expect(found.map(({ alias }) => alias)).toEqual(unbound)
  })
})

describe('the statements of every database', () => {
  const usedEntries = new Set<string>()

  describe.each(databases)('$name', ({ name, open }) => {
    const statements = new Set<string>()
    const calledMethods = new Set<string>()

    /** A repository whose statements are read when it is closed. */
    async function openNoted(): Promise<{
      repository: Repository
      recorded: RecordedRepository
      close(): Promise<void>
    }> {
      const database: OpenDatabase = await open()
      const recorded = openRecorded(database.url)
      return {
        recorded,
        repository: noteCalls(recorded.repository, calledMethods),
        close: async () => {
          for (const { sql } of recorded.take()) if (sql.includes('clientele_')) statements.add(sql)
          await recorded.close()
          await database.close()
        },
      }
    }

    describe('the contract of the repository', () => describeRepositoryContract(openNoted))

    test('queries about all accounts', async () => {
      const { repository, close } = await openNoted()
      await repository.storage.migrate()
      await callAcrossAccounts(repository)
      await close()
    })

    describe.runIf(runsEveryTest)('the contract of HTTP', () => {
      let opened: Awaited<ReturnType<typeof openNoted>>
      let combination: Combination

      beforeAll(async () => {
        opened = await openNoted()
        const clock = new Clock()
        const { repository } = opened
        const clientele = await openClientele('', clock, { repository })
        const server = await bare.start(clientele, 'prefix')
        const mailing = await openMailing('', clock, { repository })
        const openAnother = openOnSame(repository, clock)
        const processes = { clientele, mailing, openAnother }
        combination = { target: bare, mounting: 'prefix', clock, server, ...processes }
      })
      afterAll(async () => {
        await combination.server.close()
        await combination.clientele.close()
        await opened.close()
      })

      test.each(httpContract)('$name', async ({ name, run }) => {
        combination.clock.now = Date.parse(time)
        await run(new World(combination, await createTenant(combination.clientele), name))
      })
    })

    test('name their account by a parameter for each table, but for a list', () => {
      expect(statements.size).toBeGreaterThan(minStatements)
      const wrong = [...statements].flatMap((sql) => {
        const unbound = readTableReferences(sql).filter(({ isOfOneAccount }) => !isOfOneAccount)
        if (unbound.length === 0) return []
        const entry = acrossAccounts.find(({ pattern }) => pattern.test(sql))
        if (entry !== undefined) usedEntries.add(entry.name)
        const names = unbound.map(({ table, alias }) => `${table} as ${alias}`).join(', ')
        return entry === undefined ? [`${names}: ${sql}`] : []
      })
      expect(wrong).toEqual([])
    })

    // SQLite plans without statistics, and reads on the event loop: it prefers these to the index of a user.
    test.runIf(name === 'sqlite')('read no rows of others by an index of times', async () => {
      const { url, close } = await open()
      const connection = new Sqlite(url.slice('sqlite:'.length))
      const wide = [...statements].filter((sql) => {
        if (/ limit |^create |^select count\(\*\) as "total" from "clientele_sessions"/.test(sql))
          return false
        return planOf(connection, sql).some((step) =>
          /^MULTI-INDEX OR|_by_expiry \(account_id=\? AND /.test(step),
        )
      })
      connection.close()
      await close()
      expect(wide).toEqual([])
    })

    test('are of every method', () => {
      const methods = Object.entries(isolationCases).flatMap(([store, ofStore]) =>
        Object.keys(ofStore).map((method) => `${store}.${method}`),
      )
      const uncalled = methods.filter((method) => !calledMethods.has(method))
      const excused = [...withoutStatement, ...onOneOnly[name === 'sqlite' ? 'postgres' : 'sqlite']]
      expect(uncalled.filter((method) => !excused.includes(method))).toEqual([])
    })
  })

  test('use each entry of the list', () => {
    const names = acrossAccounts.map(({ name }) => name)
    expect(names.filter((name) => !usedEntries.has(name))).toEqual([])
  })
})

/** The same repository, which notes the methods that are called. */
function noteCalls(repository: Repository, called: Set<string>): Repository {
  const stores = Object.entries(repository).map(([store, methods]) => {
    const noted = Object.entries(methods as Record<string, unknown>).map(([method, call]) => {
      if (typeof call !== 'function') return [method, call]
      const note = (...given: unknown[]) => {
        called.add(`${store}.${method}`)
        return call(...given)
      }
      return [method, note]
    })
    return [store, Object.fromEntries(noted)]
  })
  return Object.fromEntries(stores)
}
