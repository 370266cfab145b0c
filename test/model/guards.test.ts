import type * as Core from '@clientele/core'
import type * as Sqlite from '@clientele/core/sqlite'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openEmptyDatabase } from '../support/databases.ts'
import { installCore } from '../support/install-core.ts'
import { themes } from './commands.ts'
import { type Guard, guards } from './guards.ts'
import { createProperty, numRuns, openGround } from './run-model.ts'

// The model is proven: it finds each of these guards missing. With MODEL_STORIES=true the shortest stories that show it
// are printed.

const maxSeeds = 200

describe('the model finds it when it is switched off:', () => {
  test.each(guards)(
    '$name',
    async (guard) => {
      const program = switchOff(guard)
      onTestFinished(program.remove)
      const { createClientele }: typeof Core = await import(program.fileOf('index'))
      const { sqlite }: typeof Sqlite = await import(program.fileOf('sqlite'))
      const open = guard.isInTables ? openEmptyDatabase : openDatabase
      const { url, close } = await open('sqlite')
      onTestFinished(close)
      const repository = sqlite({ filename: url.slice('sqlite:'.length) })
      const ground = await openGround(createClientele, repository)
      onTestFinished(() => ground.clientele.close())
      const theme = themes.find(({ name }) => name === guard.theme)
      if (theme === undefined) throw new Error(`There is no theme ${guard.theme}.`)
      const property = createProperty(ground, theme)
      let story: string | undefined
      for (let seed = 1; story === undefined && seed <= maxSeeds; seed++) {
        const { counterexample, errorInstance } = await fc.check(property, { seed, numRuns })
        if (counterexample !== null) story = `seed ${seed}: ${errorInstance}`
      }
      if (process.env.MODEL_STORIES === 'true') console.log(`${guard.name}\n${story}`)
      expect(story).toMatch('The model expected')
    },
    180_000,
  )
})

/** Builds core without a guard. */
function switchOff({ changes }: Guard) {
  const found = new Set<unknown>()
  const program = installCore(['better-sqlite3', 'pg'], (text) => {
    let changed = text
    for (const [from, to] of changes) {
      const next = changed.replace(from, to)
      if (next !== changed) found.add(from)
      changed = next
    }
    return changed
  })
  // A guard that is written in another way needs other words here.
  expect(changes.map(([from]) => from).filter((from) => !found.has(from))).toEqual([])
  return program
}
