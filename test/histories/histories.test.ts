import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyDatabase } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { checkHistory } from './check-history.ts'
import { listSucceeded } from './history.ts'
import { planFor } from './plan.ts'
import { recordHistory } from './record-history.ts'

vi.setConfig({ testTimeout: 600_000 })

const size = runsEveryTest
  ? { laneCount: 6, turns: 20, rounds: 6 }
  : { laneCount: 2, turns: 1, rounds: 1 }

describe.each(anyDatabase)('$name', ({ name, open }) => {
  test('what clients saw while servers were killed and clocks were moved breaks no promise', async () => {
    const { url, close } = await open()
    onTestFinished(close)
    const history = await recordHistory(planFor(name, url, size))
    expect(checkHistory(history)).toEqual({})
    // A history in which nothing succeeds keeps every promise.
    for (const kind of ['create', 'change', 'log in', 'read'] as const)
      expect(listSucceeded(history, kind).length, kind).toBeGreaterThan(0)
    expect(history.received.length).toBeGreaterThan(0)
  })
})
