import { describe, expect, it } from 'vitest'
import { counts, events, loadCoreWithout, observation } from '../bench/support/core-without.ts'

describe('what the benchmarks take out of the built package', () => {
  it.each([
    ['counts', counts],
    ['events', events],
    ['observation', observation],
  ])('%s are found there, and the rest loads', async (_name, removals) => {
    const core = await loadCoreWithout(removals)
    expect(core.openRepository).toBeTypeOf('function')
    await core.remove()
  })
})
