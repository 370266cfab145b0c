import { expect, test } from 'vitest'
import { ImportTurns } from '../../packages/core/src/capabilities/import-export/import-turns.ts'

test('one batch of an account is stored at a time, and two in all', async () => {
  const turns = new ImportTurns()
  const running: string[] = []
  const seen: string[] = []
  const store = (accountId: string) =>
    turns.store(accountId, async () => {
      running.push(accountId)
      seen.push(running.toSorted().join(' '))
      await new Promise(setImmediate)
      running.splice(running.indexOf(accountId), 1)
    })
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(store))
  expect(seen).toContain('a b')
  expect(seen.filter((each) => /a a|b b| .* /.test(each))).toEqual([])
})

test('imports of an account ask eight hooks at a time, and leave places to its sign-ins', async () => {
  const turns = new ImportTurns()
  let running = 0
  let most = 0
  const ask = () =>
    turns.ask('a', async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    })
  await Promise.all(Array.from({ length: 64 }, ask))
  expect(most).toBe(8)
})
