import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { httpContract } from './http-contract.ts'
import { time } from './support/answers.ts'
import { type Combination, createTenant, openDatabase, World } from './support/world.ts'
import { targets, targetsOn } from './targets/all.ts'
import { type Mounting, mountings } from './targets/target.ts'

test('every case has a name of its own, and every deviation speaks of cases that exist', () => {
  const names = httpContract.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const { deviations } of targets) {
    const named = deviations.flatMap(({ cases }) => cases)
    expect(named.filter((name) => !names.includes(name))).toEqual([])
  }
})

/** How a host mounts the routes ends before the rest begins: one way is tried by default, all by `.ci/run`. */
const mountingsTried: readonly Mounting[] = runsEveryTest ? mountings : ['prefix']

describe.each(databases)('$name', (database) => {
  let shared: Awaited<ReturnType<typeof openDatabase>>

  beforeAll(async () => {
    shared = await openDatabase(database)
  })

  afterAll(async () => {
    await shared.clientele.close()
    await shared.opened.close()
  })

  describe.each(targetsOn(database))('$name', (target) => {
    describe.each(mountingsTried)('%s', (mounting) => {
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
