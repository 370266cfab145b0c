import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { GroupTurns } from '../../packages/core/src/capabilities/scim/group-turns.ts'

test('a client that sends one change of a group after the other leaves another process its turn', async () => {
  const turns = new GroupTurns()
  const { signal } = new AbortController()
  const pauses: number[] = []
  const begunAt = performance.now()
  let endedAt = begunAt
  while (performance.now() - begunAt < 1_500)
    await turns.run(
      'account',
      async () => {
        pauses.push(performance.now() - endedAt)
        await sleep(30)
        endedAt = performance.now()
      },
      signal,
    )
  // Another process looks every 75 ms at least.
  expect(Math.max(...pauses)).toBeGreaterThan(90)
})
