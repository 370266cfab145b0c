import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ReadLanes } from '../../packages/core/src/sql/sqlite/read-lanes.ts'
import { codeOf } from '../keys/open-clientele.ts'

const ready = async (): Promise<void> => {}

/** A read that ends when it is told to, and says that it took so long by itself. */
function startRead(lanes: ReadLanes, accountId: string, begun: string[], milliseconds = 1_000) {
  let end = (): void => {}
  const held = new Promise<{ milliseconds: number }>((resolve) => {
    end = () => resolve({ milliseconds })
  })
  const answer = lanes.run(accountId, ready, () => {
    begun.push(accountId)
    return held
  })
  return { answer, end }
}

test('slow reads share a lane, and those of other accounts do not wait for them', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  const read = (name: string) => lanes.run(name, ready, async () => ({ name, milliseconds: 1 }))
  const slow = [startRead(lanes, 'large', begun), startRead(lanes, 'large', begun)]
  // It waits for the first read until that is slow.
  let hasRead = false
  read('small').then(() => {
    hasRead = true
  })
  await expect.poll(() => hasRead).toBe(true)
  for (let count = 0; count < 10; count++) await read('small')
  expect(begun).toEqual(['large'])
  slow[0]?.end()
  await slow[0]?.answer
  await expect.poll(() => begun).toEqual(['large', 'large'])
  expect(await read('small')).toMatchObject({ name: 'small' })
  slow[1]?.end()
  await slow[1]?.answer
})

test('first slow reads of two more accounts go on beside it, and a fourth keeps its place', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  const slow = ['a', 'b', 'c', 'd'].map((name) => startRead(lanes, name, begun))
  await expect.poll(() => begun, { timeout: 5_000 }).toEqual(['a', 'b', 'c', 'd'])
  const small = startRead(lanes, 'small', begun)
  await sleep(300)
  expect(begun).toHaveLength(4)
  slow[3]?.end()
  await expect.poll(() => begun.slice(4)).toEqual(['small'])
  for (const { end } of [...slow, small]) end()
  await Promise.all([...slow, small].map(({ answer }) => answer))
})

test('an account stays slow while its reads are', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  const first = startRead(lanes, 'large', begun)
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
  first.end()
  await first.answer
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const second = startRead(lanes, 'large', begun)
  vi.advanceTimersByTime(59_000)
  second.end()
  await second.answer
  vi.advanceTimersByTime(59_000)
  const third = startRead(lanes, 'large', begun)
  // Had it begun as a quick one, this would wait for it.
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
  expect(begun).toHaveLength(3)
  third.end()
  await third.answer
  vi.advanceTimersByTime(61_000)
  const later = startRead(lanes, 'large', begun)
  const small = startRead(lanes, 'small', begun)
  await sleep(0)
  expect(begun.slice(3)).toEqual(['large'])
  later.end()
  small.end()
  await Promise.all([later.answer, small.answer])
})

test('an account is refused by how long its own slow reads take, and not those of others', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  for (const name of ['large', 'medium']) {
    const { answer, end } = startRead(lanes, name, begun)
    await sleep(300)
    end()
    await answer
  }
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let count = 0; count < 20; count++) {
    const { answer, end } = startRead(lanes, 'large', begun)
    await sleep(0)
    vi.advanceTimersByTime(5_000)
    end()
    await answer
  }
  const waiting = (name: string, count: number) =>
    Array.from({ length: count }, () => startRead(lanes, name, begun))
  const large = waiting('large', 5)
  const medium = waiting('medium', 20)
  const codes = Promise.all([...large, ...medium].map(({ answer }) => codeOf(answer)))
  await sleep(0)
  while (begun.length < 22 + 4 + 20) {
    for (const { end } of [...large, ...medium]) end()
    await sleep(0)
  }
  expect((await codes).map((code) => code ?? 'ok')).toEqual([
    ...['ok', 'ok', 'ok', 'ok', 'overloaded'],
    ...Array(20).fill('ok'),
  ])
})

test('an account whose read only waited for a processor is not slow', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  const slow = startRead(lanes, 'large', begun)
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
  const delayed = startRead(lanes, 'delayed', begun, 150)
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
  delayed.end()
  await delayed.answer
  await lanes.run('delayed', ready, async () => ({ milliseconds: 150 }))
  slow.end()
  await slow.answer
})

test('a task that runs alone waits for slow reads and the others, and they for it', async () => {
  const lanes = new ReadLanes()
  const begun: string[] = []
  const slow = startRead(lanes, 'large', begun)
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
  let endCopy = (): void => {}
  const copy = lanes.runAlone(() => {
    begun.push('copy')
    return new Promise((resolve) => {
      endCopy = resolve
    })
  })
  await sleep(0)
  slow.end()
  await slow.answer
  await expect.poll(() => begun).toEqual(['large', 'copy'])
  const small = startRead(lanes, 'small', begun)
  const large = startRead(lanes, 'large', begun)
  await sleep(0)
  expect(begun).toHaveLength(2)
  endCopy()
  await copy
  await expect.poll(() => begun.length).toBe(4)
  small.end()
  large.end()
  await Promise.all([small.answer, large.answer])
})

test('a read that fails gives its place back, quick or slow', async () => {
  const lanes = new ReadLanes()
  const fail = (milliseconds: number) =>
    lanes.run('large', ready, async (): Promise<{ milliseconds: number }> => {
      await sleep(milliseconds)
      throw new Error('No such table.')
    })
  for (const milliseconds of [0, 300, 0])
    await expect(fail(milliseconds)).rejects.toThrow('No such table.')
  await lanes.run('small', ready, async () => ({ milliseconds: 1 }))
})
