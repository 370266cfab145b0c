import { randomBytes, randomInt } from 'node:crypto'
import type { Repository } from '@clientele/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { newAccount, newUser } from './world.ts'

// Ranges split above 128 users, and groups above 128 ranges: with these many, pages are found through several of both.
const firstUsers = 8_320
const limit = 100

type Action =
  | { kind: 'create'; place: number; folds: boolean }
  | { kind: 'delete'; place: number }
  | { kind: 'recount' }
  | { kind: 'read'; place: number }

const place = fc.nat({ max: 2 ** 24 })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('create'), place, folds: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('delete'), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recount') }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read'), place }) },
)

describe.each(databases)('$name', ({ open }) => {
  let database: OpenDatabase
  let repositories: Repository[]
  let accountId: string

  beforeAll(async () => {
    database = await open()
    repositories = [1, 2, 3].map(() => repositoryOf(database.url))
    await repositories[0]?.storage.migrate()
    accountId = await newAccount(at(0))
    await insertUsers(database.url, accountId, firstUsers)
    await at(0).users.recount(accountId)
  })
  afterAll(async () => {
    for (const repository of repositories) await repository.storage.close()
    await database.close()
  })

  function at(index: number): Repository {
    const repository = repositories[index % 3]
    if (repository === undefined) throw new Error('no repository')
    return repository
  }

  async function readIds(): Promise<string[]> {
    const rows = await runSql(
      database.url,
      `select id from clientele_users where account_id = '${accountId}' order by id`,
    )
    return rows.map((row) => (row as { id: string }).id)
  }

  async function expectTruth(): Promise<void> {
    const ids = await readIds()
    const list = (index: number, page: number) => at(index).users.list(accountId, { page, limit })
    const pages = Array.from({ length: Math.ceil(ids.length / limit) + 1 }, (_, index) => index + 1)
    const lists = await Promise.all(pages.map((page) => list(page, page)))
    for (const [index, { users, total }] of lists.entries()) {
      expect(total).toBe(ids.length)
      expect(users.map(({ user }) => user.id)).toEqual(
        ids.slice(index * limit, (index + 1) * limit),
      )
    }
  }

  test('pages go through more than one group', async () => {
    const [row] = await runSql(
      database.url,
      `select cast(count(*) as int) as groups from clientele_user_count_groups
       where account_id = '${accountId}'`,
    )
    expect((row as { groups: number }).groups).toBeGreaterThan(2)
    await expectTruth()
  })

  test('few deltas are folded once lists have added them up often', async () => {
    const account = await newAccount(at(0))
    const few = 100
    for (let count = 0; count < few; count++)
      await at(0).users.create(account, newUser({ roles: [] }), someEvent(account))
    const countDeltas = async () => {
      const from = `from clientele_user_count_deltas where account_id = '${account}'`
      const [row] = await runSql(database.url, `select count(*) as deltas ${from}`)
      return Number((row as { deltas: number | string }).deltas)
    }
    let reads = 0
    const read = async () => {
      // While nothing changes, a list is read once.
      const change = `update clientele_accounts set name = 'name ${reads++}' where id = '${account}'`
      await runSql(database.url, change)
      return at(0).users.list(account, { page: 1, limit: 1 })
    }
    // One of the users may have been the one in 4,096 that folds: the fewer are left, the more lists it takes.
    const left = await countDeltas()
    expect(left).toBeLessThanOrEqual(few)
    const times = left === 0 ? 1 : Math.ceil(8_192 / left)
    for (let time = 0; time < times; time++) expect((await read()).total).toBe(few)
    await expect.poll(countDeltas).toBe(0)
    expect((await read()).total).toBe(few)
  })

  test('totals and pages are exact, whatever several processes write at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 60, maxLength: 120, size: 'max' }),
        async (actions) => {
          const known = await readIds()
          const counts = { creating: 0, created: 0, deleting: 0, deleted: 0 }
          const ids = [...known]
          const perform = async (each: Action, index: number): Promise<void> => {
            const repository = at(index)
            if (each.kind === 'create') {
              counts.creating++
              const id = newIdAt(each.place, each.folds)
              const outcome = await repository.users.create(
                accountId,
                newUser({ id, roles: [] }),
                someEvent(accountId),
              )
              expect(outcome).toBe('created')
              counts.created++
            } else if (each.kind === 'delete') {
              const [id] = ids.splice(each.place % ids.length, 1)
              if (id === undefined) return
              counts.deleting++
              expect(
                await repository.users.delete(accountId, id, null, () => someEvent(accountId)),
              ).toBeTypeOf('object')
              counts.deleted++
            } else {
              const { created, deleted } = counts
              const page = 1 + (each.kind === 'read' ? each.place % 90 : 0)
              const total =
                each.kind === 'recount'
                  ? await repository.users.recount(accountId)
                  : await readPage(repository, page)
              expect(total).toBeGreaterThanOrEqual(known.length + created - counts.deleting)
              expect(total).toBeLessThanOrEqual(known.length + counts.creating - deleted)
            }
          }
          await Promise.all(actions.map(perform))
          await expectTruth()
        },
      ),
      { seed: 20260505, numRuns: 6, endOnFailure: true },
    )
  }, 60_000)

  async function readPage(repository: Repository, page: number): Promise<number> {
    const { users, total } = await repository.users.list(accountId, { page, limit })
    const ids = users.map(({ user }) => user.id)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    return total
  }
})

/** An id anywhere among the users, or far behind them; one that ends in zeros makes the write fold. */
function newIdAt(place: number, folds: boolean): string {
  if (!folds) {
    const tail = (place * 3 + randomInt(2 ** 20)).toString(16).padStart(12, '0')
    // The ids of the first users end in 001.
    return `019dfae2-6a4d-7000-8000-${tail.replace(/00[01]$/, '002')}`
  }
  const high = place.toString(16).padStart(6, '0')
  const low = randomBytes(2).toString('hex')
  return `019dfae2-6a4d-7000-8000-${high}${low}00`
}
