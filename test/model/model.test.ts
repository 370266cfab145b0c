import { createClientele } from '@clientele/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { themes } from './commands.ts'
import { createProperty, type Ground, numRuns, openGround } from './run-model.ts'

// Random requests are compared with a model of a few rules. `npm test` tries the same few runs each time; `.ci/run` others
// for a minute. A failure prints its seed, and the shortest story that fails. `SEED=1 npm test -- model/model` tells it
// again; MODEL_SECONDS=600 tries new ones for ten minutes.
const seconds = Number(process.env.MODEL_SECONDS ?? (runsEveryTest ? 60 : 0))
const isRandom = seconds > 0 && process.env.SEED === undefined
const firstSeed = isRandom ? Date.now() % 2 ** 31 : Number(process.env.SEED ?? 20_260_505)
const themeMs = isRandom ? (seconds * 1000) / (databases.length * themes.length) : 0

describe.each(databases)('the model on $name', ({ open }) => {
  let database: OpenDatabase
  let ground: Ground

  beforeAll(async () => {
    database = await open()
    ground = await openGround(createClientele, repositoryOf(database.url))
  })
  afterAll(async () => {
    await ground.clientele.close()
    await database.close()
  })

  test.each(themes)(
    '$name',
    async (theme) => {
      const end = performance.now() + themeMs
      let seed = firstSeed
      do await fc.assert(createProperty(ground, theme), { seed: seed++, numRuns })
      while (performance.now() < end)
    },
    60_000 + 20 * themeMs,
  )
})
