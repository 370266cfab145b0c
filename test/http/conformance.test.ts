import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../support/databases.ts'
import { httpContract } from './http-contract.ts'
import { time } from './support/answers.ts'
import { type Combination, createTenant, openDatabase, World } from './support/world.ts'
import { targets } from './targets/all.ts'
import { type Mounting, mountings } from './targets/target.ts'

test('every case has a name of its own, and every deviation speaks of cases that exist', () => {
  const names = httpContract.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const { deviations } of targets) {
    const named = deviations.flatMap(({ cases }) => cases)
    expect(named.filter((name) => !names.includes(name))).toEqual([])
  }
})

/**
 * How a host mounts the routes ends before the database begins: every mounting is tried on SQLite, one of them on
 * PostgreSQL; with EVERY_MOUNTING=true, as `.ci/run` sets it, all on both.
 */
function mountingsOn({ name }: TestDatabase): readonly Mounting[] {
  return name === 'sqlite' || process.env.EVERY_MOUNTING === 'true' ? mountings : ['prefix']
}

describe.each(databases)('$name', (database) => {
  let shared: Awaited<ReturnType<typeof openDatabase>>

  beforeAll(async () => {
    shared = await openDatabase(database)
  })

  afterAll(async () => {
    await shared.clientele.close()
    await shared.opened.close()
  })

  describe.each(targets)('$name', (target) => {
    describe.each(mountingsOn(database))('%s', (mounting) => {
      let combination: Combination

      beforeAll(async () => {
        const { clientele, clock } = shared
        const server = await target.start(clientele, mounting)
        combination = { target, mounting, clientele, clock, server }
      })

      afterAll(() => combination.server.close())

      test.each(httpContract)('$name', async ({ name, run }) => {
        shared.clock.now = Date.parse(time)
        await run(new World(combination, await createTenant(shared.clientele), name))
      })
    })
  })
})
