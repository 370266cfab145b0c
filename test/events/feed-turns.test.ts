import { expect, test } from 'vitest'
import { LargeResponses } from '../../packages/core/src/base/runtime/large-responses.ts'
import { watchTurns } from '../support/watch-turns.ts'

test('pages of an account are read and rendered one in each turn of the event loop', async () => {
  const turns = new LargeResponses()
  const watch = watchTurns()
  const rendered: number[] = []
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      await turns.read({ accountId: 'one' }, async () => 'page')
      rendered.push(watch.count())
    }),
  )
  watch.stop()
  expect(new Set(rendered).size).toBe(100)
})

test("an account's pages wait for no other account's, up to four accounts", async () => {
  const turns = new LargeResponses()
  let running = 0
  let most = 0
  const read = async () => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
  }
  const ids = Array.from({ length: 40 }, (_, index) => `account ${index % 8}`)
  await Promise.all(ids.map((accountId) => turns.read({ accountId }, read)))
  expect(most).toBe(4)
})
