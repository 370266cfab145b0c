import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { insertEvents, insertUsers, runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { planOf } from '../support/sqlite-plan.ts'
import { addWebhook } from './isolation/webhooks.ts'
import { listShapes } from './list-shapes.ts'
import { newAccount, newKey, nextId, start } from './world.ts'

const userCount = 20_000
const neighbours = 10

/** A repository whose statements can be looked at, and the plans that the database has for them. */
interface Explainer {
  repository: Repository
  /** What the statements read that were run since the last call: a line for each table or index that is read. */
  explain(): Promise<string[]>
  close(): Promise<void>
}

const explainers: Record<string, (url: string) => Explainer> = {
  sqlite: explainOnSqlite,
  postgres: explainOnPostgres,
}

describe.each(databases)('lists on $name', ({ name, open }) => {
  let database: OpenDatabase
  let explainer: Explainer
  let accountId: string

  beforeAll(async () => {
    database = await open()
    const made = explainers[name]?.(database.url)
    if (made === undefined) throw new Error(`no explainer for ${name}`)
    explainer = made
    await explainer.repository.storage.migrate()
    accountId = await newAccount(explainer.repository)
    await insertUsers(database.url, accountId, userCount)
    for (let index = 0; index < neighbours; index++) {
      await insertUsers(database.url, await newAccount(explainer.repository), 2000)
    }
    await explainer.repository.users.recount(accountId)
    if (name === 'sqlite') await runSql(database.url, 'analyze')
    else await vacuumWhole(database.url)
  })
  afterAll(async () => {
    await explainer.close()
    await database.close()
  })

  test.each(listShapes(userCount))('$name: every read is by an index', async ({ request }) => {
    await explainer.explain()
    await explainer.repository.users.list(accountId, { page: 1, limit: 10, ...request })
    const reads = await explainer.explain()
    expect(reads.length).toBeGreaterThan(0)
    expect(reads.filter((read) => !/^(index|memory) /.test(read))).toEqual([])
  })

  test('the start of a read by time is found among the events of that time', async () => {
    const { repository } = explainer
    await insertEvents(database.url, accountId, start, userCount)
    await runSql(database.url, name === 'sqlite' ? 'analyze' : 'vacuum analyze clientele_events')
    await explainer.explain()
    const since = start + userCount - 10
    expect(await repository.events.findStart(accountId, since)).toBe(userCount - 11)
    const reads = await explainer.explain()
    const ofEvents = reads.filter((read) => read.includes('clientele_events'))
    // SQLite names its index by itself.
    expect(ofEvents.some((read) => /\(?account_id *=.* AND .*\bid *>/.test(read))).toBe(true)
    // From the place that was found back, and not up from the first.
    const byPlace = ofEvents.filter((read) => read.includes('by_position'))
    expect(byPlace.filter((read) => !/\bposition *</.test(read))).toEqual([])
  })

  // PostgreSQL has the same plan either way.
  test.runIf(name === 'sqlite')('new events are looked for without the others', async () => {
    const { repository } = explainer
    await runSql(
      database.url,
      `insert into clientele_event_feeds (account_id, last_position, purged_position)
       values ('${accountId}', ${userCount}, 0)`,
    )
    await addWebhook(repository, { accountId })
    await repository.events.findEnd(accountId)
    await explainer.explain()
    await repository.webhooks.placeNews([accountId])
    await repository.events.findHeads([accountId])
    const reads = await explainer.explain()
    const ofEvents = reads.filter((read) => /clientele_events_(by|without)/.test(read))
    expect(ofEvents).toHaveLength(2)
    expect(ofEvents.filter((read) => !read.includes('without_position'))).toEqual([])
  })

  // Only where they share a round trip.
  test.runIf(name === 'postgres')('simultaneous look-ups read users by an index', async () => {
    const { repository } = explainer
    const { users: listed } = await repository.users.list(accountId, { page: 1, limit: 10 })
    const key = newKey()
    await repository.apiKeys.create(accountId, key, someEvent(accountId))
    await explainer.explain()
    const subjects = listed.map(({ user }) => ({ userId: user.id, sessionId: nextId() }))
    const found = await Promise.all([
      ...subjects.map((subject) => repository.users.findSubject(accountId, start, subject)),
      ...subjects.map((subject) => repository.apiKeys.findByHash(key.hash, start, subject)),
    ])
    expect(found).not.toContain(undefined)
    const users = (await explainer.explain()).filter((read) => read.includes('clientele_users'))
    expect(users.length).toBeGreaterThan(1)
    expect(users.filter((read) => !read.startsWith('index '))).toEqual([])
  })
})

/** An analyze of the server's own at the same moment keeps a vacuum from marking pages, and a plan from using an index. */
async function vacuumWhole(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  let marked = false
  while (!marked) {
    await pool.query('vacuum analyze')
    const { rows } = await pool.query(
      `select relallvisible = relpages as marked from pg_class where relname = 'clientele_users'`,
    )
    marked = rows[0].marked
  }
  await pool.end()
}

function explainOnSqlite(url: string): Explainer {
  const connection = new Sqlite(url.slice('sqlite:'.length))
  const statements = new Set<string>()
  const prepare = connection.prepare.bind(connection)
  let isListening = true
  // A host's own connection, which tells what is prepared on it; a new repository prepares everything anew.
  const listening = new Proxy(connection, {
    get: (target, property) => {
      if (property === 'prepare') {
        return (text: string) => {
          if (isListening) statements.add(text)
          return prepare(text)
        }
      }
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const open = () => sqlite({ database: listening })
  const explainer: Explainer = {
    repository: open(),
    explain: async () => {
      isListening = false
      const reads = [...statements]
        .filter((text) => text.startsWith('select'))
        .flatMap((text) => planOf(connection, text))
      statements.clear()
      isListening = true
      explainer.repository = open()
      return reads.filter((detail) => /^(SCAN|SEARCH) /.test(detail)).map(describeSqliteRead)
    },
    close: async () => {
      connection.close()
    },
  }
  return explainer
}

function describeSqliteRead(detail: string): string {
  if (/^SEARCH .* USING .*(INDEX|PRIMARY KEY).* \(account_id=\?/.test(detail))
    return `index ${detail}`
  // The list of a sub-query's rows
  return /^SCAN (?!u$|r$|clientele)/.test(detail) ? `memory ${detail}` : detail
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

function explainOnPostgres(url: string): Explainer {
  const pool = new Pool({ connectionString: url })
  const statements = new Map<string, unknown[]>()
  const query = pool.query.bind(pool) as (query: object) => Promise<{ rows: never[] }>
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...details: unknown[]) => never
    const listen = (step: { text: string; values?: unknown[] }, ...rest: unknown[]) => {
      statements.set(step.text, step.values ?? [])
      return send(step, ...rest)
    }
    client.query = listen as never // the overload that is used
  })
  return {
    repository: postgres({ pool }),
    explain: async () => {
      const selects = [...statements].filter(([text]) => text.startsWith('select'))
      statements.clear()
      const reads: string[] = []
      for (const [text, values] of selects) {
        // Of these values, and of any: what PostgreSQL goes over to after five executions.
        for (const asked of [
          { text: `explain (format json) ${text}`, values },
          { text: `explain (format json, generic_plan) ${text}` },
        ]) {
          const [row] = (await query(asked)).rows as { 'QUERY PLAN': { Plan: PlanNode }[] }[]
          for (const { Plan } of row?.['QUERY PLAN'] ?? []) reads.push(...readsOf(Plan))
        }
      }
      return reads
    },
    close: () => pool.end(),
  }
}

function readsOf(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(readsOf)
  const type = node['Node Type']
  if (!type.endsWith('Scan') || type === 'Bitmap Heap Scan') return below
  const condition = node['Index Cond'] ?? ''
  // The tables of counts have a row or a few an account.
  if (/_counts$|_deltas$|_ranges$/.test(node['Relation Name'] ?? '')) return below
  const how = /account_id/.test(condition)
    ? 'index'
    : /^(Subquery|CTE|Function) Scan$/.test(type)
      ? 'memory'
      : 'whole'
  return [`${how} ${type} ${node['Relation Name'] ?? ''} ${condition}`, ...below]
}
