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

test('sixteen hashes of the imports of an account run or wait at a time', async () => {
  const turns = new ImportTurns()
  const most = new Map<string, number>()
  const running = new Map<string, number>()
  const add = (accountId: string, more: number) => {
    const now = (running.get(accountId) ?? 0) + more
    running.set(accountId, now)
    most.set(accountId, Math.max(most.get(accountId) ?? 0, now))
  }
  const hash = (accountId: string) =>
    turns.hash(accountId, async () => {
      add(accountId, 1)
      await new Promise(setImmediate)
      add(accountId, -1)
    })
  await Promise.all(Array.from({ length: 64 }, (_, number) => hash(number % 2 ? 'a' : 'b')))
  expect([...most.values()]).toEqual([16, 16])
})
