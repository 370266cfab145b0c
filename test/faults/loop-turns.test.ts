import { expect, test } from 'vitest'
import { LoopTurns } from '../../packages/core/src/base/runtime/loop-turns.ts'
import { createScanLimit } from '../../packages/core/src/sql/postgres/scan-limit.ts'
import { codeOf } from '../keys/open-clientele.ts'

const request = (accountId: string) => ({ accountId, weight: 1, isGone: () => false })

test('one turn of the event loop starts sixteen requests when they come', async () => {
  const turns = new LoopTurns(() => false)
  let begun = 0
  const begin = async (): Promise<void> => {
    begun++
  }
  const all = Array.from({ length: 40 }, () => turns.run(request('account'), begin))
  // And the first of those that start one after the other.
  expect(begun).toBe(16 + 1)
  await Promise.all(all)
  expect(begun).toBe(40)
})

test('a thousand requests of an account wait, and no more', async () => {
  let isBusy = true
  const turns = new LoopTurns(() => isBusy)
  const run = (accountId: string) => codeOf(turns.run(request(accountId), async () => {}))
  const first = Array.from({ length: 1_000 }, () => run('account'))
  const [refused, other] = [run('account'), run('another account')]
  const waits = new Promise((resolve) => setImmediate(resolve, 'waits'))
  expect(await Promise.race([refused, waits])).toBe('overloaded')
  isBusy = false
  expect(new Set(await Promise.all([...first, other]))).toEqual(new Set([undefined]))
})

test('a database that others keep busy does not stop requests', async () => {
  const turns = new LoopTurns(() => true)
  const run = (accountId: string) => turns.run(request(accountId), async () => accountId)
  const accounts = ['account', 'account', 'another account']
  expect(await Promise.all(accounts.map(run))).toEqual(accounts)
})

test('three reads that scan accounts run at once, two of an account, and accounts take turns', async () => {
  const limit = createScanLimit()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const scan = (accountId: string) =>
    limit.run(accountId, () => {
      begun.push(accountId)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = [...Array.from({ length: 5 }, () => scan('account')), scan('another account')]
  expect(begun).toEqual(['account', 'account', 'another account'])
  ends.shift()?.()
  await new Promise(setImmediate)
  expect(begun.at(-1)).toBe('account')
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
})
