import { expect, test } from 'vitest'
import { type Charge, ThreadTime } from '../../packages/core/src/base/outbound/thread-time.ts'

const never = new AbortController().signal

/** A request with a handshake that takes this time. */
const take = (usedMs: number) => async (charge: Charge) => {
  await new Promise(setImmediate)
  charge(usedMs)
}

test('usual handshakes delay nothing', async () => {
  const time = new ThreadTime()
  for (let count = 0; count < 1_000; count++) await time.run('a', never, take(20))
})

test('after costly handshakes an account pauses ten times as long, and others do not', async () => {
  const time = new ThreadTime()
  await time.run('a', never, take(300))
  const begun: string[] = []
  const cancelled = new AbortController()
  // These begin three and six seconds later.
  const second = time.run('a', cancelled.signal, async () => begun.push('a'))
  const third = time.run('a', never, async () => begun.push('a'))
  await expect(third).rejects.toMatchObject({ code: 'overloaded' })
  await time.run('b', never, async () => begun.push('b'))
  expect(begun).toEqual(['b'])
  cancelled.abort()
  await expect(second).rejects.toMatchObject({ name: 'AbortError' })
})

test('many costly handshakes at once pause an account for five seconds at most', async () => {
  const time = new ThreadTime()
  await Promise.all(Array.from({ length: 16 }, () => time.run('a', never, take(400))))
  const cancelled = new AbortController()
  // It may wait: it is not refused.
  const waiting = time.run('a', cancelled.signal, async () => {})
  cancelled.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})

test('a request after the pause begins, and usual handshakes end the pauses', async () => {
  const time = new ThreadTime()
  await time.run('a', never, take(30))
  // The pauses are 300 ms, 150 ms, and so on.
  for (let count = 0; count < 8; count++) await time.run('a', never, take(1))
  await Promise.all(Array.from({ length: 20 }, () => time.run('a', never, take(1))))
})
