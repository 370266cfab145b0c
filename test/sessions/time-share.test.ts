import { describe, expect, test } from 'vitest'
import { TimeShare } from '../../packages/core/src/base/runtime/time-share.ts'

/** One place, under a clock of the test's. A task ends when the test says so, and has then taken its time. */
function openPlace() {
  let now = 0
  const began: string[] = []
  const ends: (() => void)[] = []
  const share: TimeShare = new TimeShare({ hasRoom: () => share.running < 1, now: () => now })
  const add = (key: string, takesMs: number, expectedMs = takesMs): void => {
    const task = () =>
      new Promise<void>((resolve) => {
        began.push(key)
        ends.push(() => {
          now += takesMs
          resolve()
        })
      })
    void share.run(key, expectedMs, task)
  }
  const endOne = async (): Promise<void> => {
    ends.shift()?.()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  const endSome = async (count: number): Promise<void> => {
    for (let ended = 0; ended < count; ended++) await endOne()
  }
  const countOf = (key: string): number => began.filter((each) => each === key).length
  return { share, began, add, endSome, countOf }
}

describe('a share of time', () => {
  test.each([
    ['is known', 100],
    ['is not known before', 1],
  ])(
    'tasks that take ten times as long run a tenth as often, if that %s',
    async (_, expectedMs) => {
      const { add, endSome, countOf } = openPlace()
      for (let count = 0; count < 30; count++) add('dear', 100, expectedMs)
      for (let count = 0; count < 30; count++) add('cheap', 10, Math.min(10, expectedMs))
      await endSome(22)
      expect(countOf('dear')).toBeGreaterThanOrEqual(2)
      expect(countOf('dear')).toBeLessThanOrEqual(4)
      await endSome(60)
      expect([countOf('dear'), countOf('cheap')]).toEqual([30, 30])
    },
  )

  test('a short task waits for no long one of each of many other keys', async () => {
    const { began, add, endSome } = openPlace()
    for (let key = 0; key < 50; key++) for (let count = 0; count < 4; count++) add(`dear ${key}`, 8)
    await endSome(75)
    add('cheap', 1)
    await endSome(2)
    expect(began).toContain('cheap')
  })

  test('a long task is not held up for ever by short ones of ever new keys', async () => {
    const { began, add, endSome } = openPlace()
    add('key 0', 1)
    add('dear', 20)
    for (let key = 1; key <= 100; key++) {
      // Two of them wait at any time.
      add(`key ${key}`, 1)
      add(`late ${key}`, 1)
      await endSome(1)
    }
    expect(began.indexOf('dear')).toBeGreaterThan(0)
    expect(began.indexOf('dear')).toBeLessThan(20)
  })

  test('a task is charged the least that it was said to cost, though it ends before', async () => {
    const share: TimeShare = new TimeShare({ hasRoom: () => share.running < 1, now: () => 0 })
    const began: string[] = []
    const run = (key: string, leastMs: number) =>
      share.run(key, leastMs, async () => void began.push(key), leastMs)
    const keys = ['dear', 'dear', 'cheap', 'cheap', 'cheap', 'cheap']
    await Promise.all(keys.map((key) => run(key, key === 'dear' ? 4 : 1)))
    expect(began).toEqual(['dear', 'cheap', 'cheap', 'cheap', 'cheap', 'dear'])
  })

  test('a key that comes late gets no credit for unused time', async () => {
    const { began, add, endSome } = openPlace()
    for (let count = 0; count < 20; count++) add('early', 10)
    await endSome(10)
    for (let count = 0; count < 10; count++) add('late', 10)
    const before = began.length
    await endSome(8)
    const since = began.slice(before)
    expect(since.filter((key) => key === 'late').length).toBe(4)
  })

  test('a key that returns with one task at a time pays for its earlier ones', async () => {
    const { began, add, endSome } = openPlace()
    add('dear', 100)
    for (let count = 0; count < 20; count++) add('cheap', 10)
    await endSome(1)
    add('dear', 100)
    await endSome(4)
    expect(began).toEqual(['dear', ...new Array(5).fill('cheap')])
  })

  test('idle keys are forgotten', async () => {
    const { share, add, endSome } = openPlace()
    add('first', 1)
    for (let count = 0; count < 5_000; count++) {
      add(`key ${count}`, 1)
      await endSome(1)
    }
    expect(share.size).toBeLessThanOrEqual(1_001)
    await endSome(1)
    expect([share.running, share.waiting, share.size]).toEqual([0, 0, 0])
  })

  test('a task that throws frees its place', async () => {
    const { share, began, add } = openPlace()
    const failure = new Error('The task has failed.')
    await expect(share.run('failing', 1, () => Promise.reject(failure))).rejects.toBe(failure)
    add('next', 1)
    await Promise.resolve()
    expect(began).toEqual(['next'])
  })
})
