import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase, openEmptyDatabase } from '../support/databases.ts'
import { mutateCore } from '../support/mutated-packages.ts'
import { checkHistory } from './check-history.ts'
import { planFor } from './plan.ts'
import { recordHistory } from './record-history.ts'
import { switchedOffGuards } from './switched-off-guards.ts'

vi.setConfig({ testTimeout: 600_000 })

/** What shows only when a server is killed at the right moment is tried again. */
const maxTries = 5

test.each(switchedOffGuards)('$foundBy are found on $database, when $what', async (guard) => {
  const { edits, database: name, foundBy, isInSchema = false } = guard
  const mutated = await mutateCore(edits)
  onTestFinished(mutated.remove)
  let found: string[] = []
  for (let count = 1; count <= maxTries && !found.includes(foundBy); count++) {
    const { url, close } = await (isInSchema ? openEmptyDatabase : openDatabase)(name)
    onTestFinished(close)
    const plan = planFor(name, url, { laneCount: 3, turns: 2 * count })
    found = Object.keys(checkHistory(await recordHistory({ ...plan, core: mutated.url })))
  }
  expect(found).toContain(foundBy)
})
