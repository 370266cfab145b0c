import { afterAll, beforeAll, expect, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'
import { findWide, recordStatements } from './find-wide.ts'
import { openForPlans, type PlanWorld } from './open-for-plans.ts'
import { newAccount } from './world.ts'

const userCount = 20_000
const maxTouches = 3_000

let world: PlanWorld
let accountId: string

beforeAll(async () => {
  world = await openForPlans()
  const { url } = world
  accountId = await newAccount(world.repository)
  await insertUsers(url, accountId, userCount)
  const addRoles = (role: string) =>
    `insert into clientele_user_roles (account_id, role, user_id)
     select account_id, ${role}, id from clientele_users`
  await runSql(
    url,
    // Other roles have few members, so that few are expected of each.
    addRoles("'few ' || created_at / 100"),
    addRoles("'member'"),
    `insert into clientele_scim_users (account_id, user_id, user_name, user_name_key, full_name)
     select account_id, id, 'scim ' || name, 'scim ' || name_key, name from clientele_users`,
    'analyze',
  )
})
afterAll(() => world.close())

/** By the plan for any values, which a connection uses from its sixth call on. For these it is cheap to read a small table. */
async function findWideOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const statements = await recordStatements(world, work)
  return findWide(world, statements, { modes: ['force_generic_plan'], maxTouches })
}

test.each([1, 100, 200])('%i members of a group that has all users are read', async (limit) => {
  const work = async () => {
    const members = await world.repository.scim.listMembers(accountId, 'member', limit)
    expect(members).toHaveLength(limit)
    expect(members[0]?.name).toBe('Name 1')
  }
  expect(await findWideOf(work)).toEqual({})
})

test('a search among all users reads no names before them', async () => {
  const { scim } = world.repository
  const first = await scim.walk(accountId, lowestId, 500)
  expect(first).toHaveLength(500)
  const middle = `(select id from clientele_users order by id offset ${userCount / 2} limit 1)`
  const [row] = (await runSql(
    world.url,
    `select id from clientele_users where id = ${middle}`,
  )) as {
    id: string
  }[] // what it selects
  const work = async () => {
    const users = await scim.walk(accountId, row?.id ?? lowestId, 100)
    expect(users).toHaveLength(100)
  }
  expect(await findWideOf(work)).toEqual({})
})
