import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { insertUsers, runSql, stopAutovacuum } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { countBlocks, countTouches, explain, type PlanNode } from './explain-plan.ts'
import { listShapes } from './list-shapes.ts'
import { changesTo, newAccount, newSession, newUser, nextId, type Page, start } from './world.ts'

const userCount = 20_000
const lastPage = userCount / 100
/**
 * Reading three indexes, putting together what they have and putting it in order touches a user several times. Comparing
 * each with each of a set touches it a thousand times.
 */
const maxTouchesOfUser = 12
/** What belongs to one user is found on so few pages; any index of the account has more of them. */
const maxBlocksOfLookUp = 50

const farRequests: Partial<Page>[] = [
  { q: 'u' },
  { q: 'name', sort: '-email' },
  { q: 'name 1', sort: '-email' },
  { isActive: true },
  { role: 'group 7' },
  { q: 'u', role: 'group 7', isActive: true },
  { q: 'u', isActive: true, sort: 'name' },
  { sort: 'name', page: lastPage },
  { sort: '-email', page: lastPage },
  { page: lastPage },
]
const lists = [
  ...listShapes(userCount),
  ...farRequests.map((request) => ({
    name: JSON.stringify(request),
    request: { limit: 100, ...request },
  })),
]

/** SQLite keeps no statistics unless it is told to. */
const postgresOnly = databases.filter(({ name }) => name === 'postgres')

describe.each(postgresOnly)('an account that the statistics of $name do not know', ({ open }) => {
  let database: OpenDatabase
  let pool: Pool
  let repository: Repository
  let accountId: string
  let statements: Map<string, unknown[]>

  beforeAll(async () => {
    database = await open()
    pool = new Pool({ connectionString: database.url })
    statements = new Map()
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as (...details: unknown[]) => never
      const listen = (step: { text: string; values?: unknown[] }, ...rest: unknown[]) => {
        if (/^(with|select|update|delete) /.test(step.text))
          statements.set(step.text, step.values ?? [])
        return send(step, ...rest)
      }
      client.query = listen as never // the overload that is used
    })
    repository = postgres({ pool })
    await repository.storage.migrate()
    await stopAutovacuum(database.url)
    await insertUsers(database.url, await newAccount(repository), 50)
    await runSql(database.url, 'analyze')
    accountId = await newAccount(repository)
    await insertUsers(database.url, accountId, userCount)
    await repository.users.recount(accountId)
  })
  afterAll(async () => {
    await pool.end()
    await database.close()
  })

  /** The plans of what was run since the last call, for its values and for any, with what was done. */
  async function takePlans(): Promise<PlanNode[]> {
    const asked = [...statements]
    statements.clear()
    const client = await pool.connect()
    const plans: PlanNode[] = []
    try {
      // What is explained is done again, under the same event's id.
      await client.query('delete from clientele_events')
      for (const [text, values] of asked) {
        for (const mode of ['force_custom_plan', 'force_generic_plan'])
          plans.push(await explain(client, mode, text, values))
      }
    } finally {
      client.release()
    }
    return plans
  }

  test.each(lists)('the list of $name touches each user a few times', async ({ request }) => {
    statements.clear()
    await repository.users.list(accountId, { page: 1, limit: 10, ...request })
    const touches = (await takePlans()).map(countTouches)
    expect(touches.length).toBeGreaterThan(0)
    expect(Math.max(...touches)).toBeLessThan(maxTouchesOfUser * userCount)
  })

  test('queries about one user read few pages', async () => {
    const user = newUser()
    const session = newSession(user.id)
    await repository.users.create(accountId, user, someEvent(accountId))
    await repository.sessions.create(accountId, session, user.passwordHash, someEvent(accountId))
    const change = changesTo(user, { isActive: false })
    const work: Record<string, () => Promise<unknown>> = {
      find: () => repository.users.find(accountId, user.id),
      credentials: () => repository.users.findCredentials(accountId, user.email),
      'by e-mail': () => repository.users.findSubjectByEmail(accountId, user.email),
      'find a session': () => repository.sessions.find(accountId, session.id),
      sessions: () => repository.sessions.list(accountId, user.id, start),
      'validate tokens': () =>
        Promise.all(
          [session.id, nextId()].map((sessionId) =>
            repository.users.findSubject(accountId, start, { userId: user.id, sessionId }),
          ),
        ),
      'list by e-mail': () =>
        repository.users.list(accountId, { page: 1, limit: 10, email: user.email, q: 'u' }),
      deactivate: () =>
        repository.users.replace(accountId, user.id, change, null, someEvent(accountId)),
      delete: () => repository.users.delete(accountId, user.id, null, () => someEvent(accountId)),
    }
    const blocks: Record<string, number> = {}
    for (const [name, run] of Object.entries(work)) {
      statements.clear()
      await run()
      const most = Math.max(...(await takePlans()).map(countBlocks))
      if (!(most <= maxBlocksOfLookUp)) blocks[name] = most
    }
    expect(blocks).toEqual({})
  })
})
