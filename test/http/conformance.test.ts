import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, postgresInSchema, type TestDatabase } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { bodyCases } from './cases/bodies.ts'
import type { Case } from './cases/case.ts'
import { consoleCases } from './cases/console.ts'
import { hostCases } from './cases/host.ts'
import { identityCases } from './cases/identities.ts'
import { jsonValueCases } from './cases/json-values.ts'
import { personalDataCases } from './cases/personal-data.ts'
import { queryCases } from './cases/queries.ts'
import { routeCases } from './cases/routes.ts'
import { signInCases } from './cases/sign-in.ts'
import { strictInputCases } from './cases/strict-input.ts'
import { tokenCheckCases } from './cases/token-checks.ts'
import { userChangeCases } from './cases/user-changes.ts'
import { adapterContract, httpContract } from './http-contract.ts'
import { time } from './support/answers.ts'
import {
  type Combination,
  createTenant,
  openClientele,
  openDatabase,
  World,
} from './support/world.ts'
import { olderMajors, targets, targetsOn } from './targets/all.ts'
import { bare } from './targets/bare.ts'
import { type Mounting, mountings, type Target } from './targets/target.ts'

test('the names of cases are unique, and every deviation is about a case that crosses the adapter', () => {
  const names = httpContract.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const { deviations } of targets) {
    const named = deviations.flatMap(({ cases }) => cases)
    const crossing = new Set(adapterContract.map(({ name }) => name))
    expect(named.filter((name) => !crossing.has(name))).toEqual([])
  }
})

/** How a host mounts the routes ends before a database is asked: one way is tried by default, all on SQLite by `.ci/run`. */
const mountingsOn = ({ name }: TestDatabase): readonly Mounting[] =>
  runsEveryTest && name === 'sqlite' ? mountings : ['prefix']

/** What depends on the router and the parser of a framework most */
const ofRouters = [...bodyCases, ...routeCases, ...hostCases]
/** What is answered before a database is asked */
const withoutDatabase = new Set([
  ...[bodyCases, routeCases, queryCases, hostCases, strictInputCases, tokenCheckCases].flat(),
])
const inSchema = [...userChangeCases, ...signInCases, ...personalDataCases, ...identityCases]
/** What is tried on PostgreSQL where our tables are in the usual schema: the rest is tried in another, or asks no database. */
const onPostgres = httpContract.filter(
  (each) => !withoutDatabase.has(each) && !inSchema.includes(each),
)

/** A framework hands on what it carries, whatever is asked: all of these on SQLite, and of the other parts each twelfth case */
const ofHandingOn = new Set([
  ...[bodyCases, jsonValueCases, routeCases, queryCases, hostCases, consoleCases].flat(),
])
const inFrameworks = ({ name }: TestDatabase): readonly Case[] =>
  adapterContract.filter(
    (each, index) => (ofHandingOn.has(each) && name === 'sqlite') || index % 12 === 0,
  )

/** The core answers every case. What it answers does not change on its way: a framework is tried on what it carries. */
const casesOf = (target: Target, database: TestDatabase): readonly Case[] => {
  if (runsEveryTest) return httpContract
  if (olderMajors.includes(target)) return ofRouters
  if (target !== bare) return inFrameworks(database)
  return database.name === 'sqlite' ? httpContract : onPostgres
}

interface Place {
  place: string
  database: TestDatabase
  targets: readonly Target[]
  casesOf(target: Target): readonly Case[]
}

/**
 * Each database with each server, and the core on tables in a schema. By default the cases there are a quarter of those
 * that write most tables by one statement.
 */
const places: readonly Place[] = [
  ...databases.map((database) => ({
    place: database.name,
    database,
    targets: targetsOn(database),
    casesOf: (target: Target) => casesOf(target, database),
  })),
  {
    place: 'postgres, in a schema',
    database: postgresInSchema,
    targets: [bare],
    casesOf: () => (runsEveryTest ? httpContract : inSchema.filter((_, index) => index % 4 === 0)),
  },
]

describe.each(places)('$place', ({ database, targets: servers, casesOf: listCases }) => {
  let shared: Awaited<ReturnType<typeof openDatabase>>

  beforeAll(async () => {
    shared = await openDatabase(database)
  })

  afterAll(async () => {
    await shared.clientele.close()
    await shared.mailing.clientele.close()
    await shared.opened.close()
  })

  describe.each(servers)('$name', (target) => {
    describe.each(mountingsOn(database))('%s', (mounting) => {
      let combination: Combination

      beforeAll(async () => {
        const { clientele, clock, mailing, opened } = shared
        const server = await target.start(clientele, mounting)
        const openAnother: Combination['openAnother'] = (more) =>
          openClientele(opened.url, clock, more)
        combination = { target, mounting, clientele, clock, server, mailing, openAnother }
      })

      afterAll(() => combination.server.close())

      test.each(listCases(target))('$name', async ({ name, run }) => {
        shared.clock.now = Date.parse(time)
        await run(new World(combination, await createTenant(shared.clientele), name))
      })
    })
  })
})
