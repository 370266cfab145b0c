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
