import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DeliverySlots } from '../../packages/core/src/capabilities/webhooks/delivery/delivery-slots.ts'
import { watchTurns } from '../support/watch-turns.ts'

test('sixteen requests start at a time, six of them of one account', async () => {
  const slots = new DeliverySlots(100)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const send = (accountId: string) =>
    slots.run({ accountId, id: accountId, attemptCount: 1 }, () => {
      begun.push(accountId)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const accounts = ['a', 'b', 'c', 'd'].flatMap((name) => new Array<string>(10).fill(name))
  const all = accounts.map(send)
  const countOf = (name: string): number => begun.filter((each) => each === name).length
  expect(['a', 'b', 'c', 'd'].map(countOf)).toEqual([6, 6, 4, 0])
  while (begun.length < accounts.length || ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
})

test('endpoints that had a slow request lately take no slot of the others', async () => {
  const slots = new DeliverySlots(100)
  const begun = { slow: 0, others: 0 }
  let end = (): void => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  const hold = (kind: keyof typeof begun): Promise<void> => {
    begun[kind]++
    return held
  }
  const send = (kind: keyof typeof begun, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const id = `${kind} ${index}`
      return slots.run({ accountId: id, id, attemptCount: 1 }, () => hold(kind))
    })
  const first = send('slow', 10)
  await sleep(1_100)
  begun.slow = 0
  const later = [...send('slow', 10), ...send('others', 20)]
  expect(begun).toEqual({ slow: 8, others: 16 })
  end()
  await Promise.all([...first, ...later])
  // However quick they were at last, for five minutes.
  begun.slow = 0
  const again = send('slow', 10)
  expect(begun.slow).toBe(8)
  await Promise.all(again)
  const now = performance.now()
  const spy = vi.spyOn(performance, 'now').mockReturnValue(now + 300_000)
  onTestFinished(() => spy.mockRestore())
  begun.slow = 0
  await Promise.all(send('slow', 10))
  expect(begun.slow).toBe(10)
  expect(slots.isSlow('slow 0')).toBe(false)
})

test('a new endpoint of an account that had a slow one takes no slot of the others, until it had a request', async () => {
  const slots = new DeliverySlots(100)
  let begun = 0
  const send = (name: string, attemptCount: number, milliseconds: number) =>
    Array.from({ length: 10 }, (_, index) =>
      slots.run({ accountId: `account ${index}`, id: `${name} ${index}`, attemptCount }, () => {
        begun++
        return sleep(milliseconds)
      }),
    )
  await Promise.all(send('deleted', 0, 1_100))
  begun = 0
  const again = send('made again', 0, 1)
  expect(begun).toBe(8)
  const known = send('known', 1, 1)
  expect(begun).toBe(8 + 10)
  await Promise.all([...again, ...known])
})

test('a request to a slow endpoint gives its slot up after a quarter of a second', async () => {
  const slots = new DeliverySlots(100)
  let begun = 0
  const send = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const id = `slow ${index}`
      return slots.run({ accountId: id, id, attemptCount: 1 }, () => {
        begun++
        return sleep(2_000)
      })
    })
  await Promise.all(send(16))
  const answers = send(16)
  expect(begun).toBe(16 + 8)
  await sleep(800)
  expect(begun).toBe(2 * 16)
  expect(slots.isSlow('slow 0')).toBe(true)
  await Promise.all(answers)
})

test('messages are read for one endpoint of an account in each turn of the event loop', async () => {
  const slots = new DeliverySlots(100)
  const watch = watchTurns()
  const turns = new Map<string, number[]>()
  const read = async (accountId: string) => {
    await slots.read(accountId, async () => 'page')
    turns.set(accountId, [...(turns.get(accountId) ?? []), watch.count()])
  }
  await Promise.all(Array.from({ length: 20 }, (_, index) => read(index % 2 === 0 ? 'a' : 'b')))
  watch.stop()
  expect([...turns.values()].map((each) => new Set(each).size)).toEqual([10, 10])
})
