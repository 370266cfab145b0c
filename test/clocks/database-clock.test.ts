import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseClock } from '../../packages/core/src/clientele/database-clock.ts'
import { LogRecorder } from '../keys/open-clientele.ts'

const start = Date.parse('2026-05-05T12:00:00Z')
const hour = 3_600_000
const year = 365 * 24 * 3_600_000

/** A process whose clock differs from the database's. */
function open(aheadMs: number, hasServer = true) {
  const times = { wall: start + aheadMs, monotonic: 5_000, database: start, isDown: false }
  const log = new LogRecorder()
  const during = { answer: () => {} }
  const readTime = async () => {
    if (times.isDown) throw new Error('down')
    const { database } = times
    await Promise.resolve()
    during.answer()
    return database
  }
  const clock = new DatabaseClock({
    readTime: hasServer ? readTime : undefined,
    logger: log,
    wall: () => times.wall,
    monotonic: () => times.monotonic,
  })
  const pass = (ms: number): void => {
    times.wall += ms
    times.monotonic += ms
    times.database += ms
  }
  const messages = () => log.lines.map(({ level }) => level)
  return { times, during, clock, pass, messages }
}

describe('the clock of a process on a database server', () => {
  test.each([300_000, -300_000, 3_600_000, year])(
    'is corrected if it is ahead by %i ms',
    async (ms) => {
      const { clock, pass, messages } = open(ms)
      await clock.measure()
      pass(10_000)
      expect(clock.now()).toBe(start + 10_000)
      await clock.measure()
      expect(messages()).toEqual(['warn'])
    },
  )

  test('stays as it is if it differs by a second at most', async () => {
    const { clock, messages } = open(900)
    await clock.measure()
    expect([clock.now(), messages()]).toEqual([start + 900, []])
  })

  test.each([year, -3_600_000])('does not follow a jump by %i ms', async (ms) => {
    const { clock, times, pass, messages } = open(0)
    await clock.measure()
    pass(60_000)
    times.wall += ms
    times.isDown = true
    expect(clock.now()).toBe(start + 60_000)
    await clock.measure()
    times.isDown = false
    await clock.measure()
    pass(1)
    expect(clock.now()).toBe(start + 60_001)
    expect(messages()).toEqual(['warn'])
    times.wall -= ms
    expect(clock.now()).toBe(start + 60_001)
    await clock.measure()
    expect(clock.now()).toBe(start + 60_001)
    expect(messages()).toEqual(['warn', 'info'])
  })

  test('is measured again if it jumps while the database answers', async () => {
    const { clock, times, during, messages } = open(0)
    await clock.measure()
    times.wall += hour
    during.answer = () => {
      times.wall -= hour
      clock.now()
    }
    clock.now()
    await clock.measure()
    expect([clock.now(), messages()]).toEqual([start, []])
    during.answer = () => {}
    await clock.measure()
    expect([clock.now(), messages()]).toEqual([start, []])
  })

  test('is measured every second until the database answers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { clock, times } = open(year)
    times.isDown = true
    await clock.measure()
    clock.start()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(clock.now()).toBe(start + year)
    times.isDown = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(clock.now()).toBe(start)
    clock.close()
  })

  test('follows the database after the machine slept', async () => {
    const { clock, times } = open(0)
    await clock.measure()
    times.wall += 8 * 3_600_000
    times.database += 8 * 3_600_000
    clock.now()
    await clock.measure()
    expect(clock.now()).toBe(start + 8 * 3_600_000)
  })
})

test('without a server the clock is that of the machine', async () => {
  const { clock, times } = open(0, false)
  await clock.measure()
  times.wall += year
  expect(clock.now()).toBe(start + year)
})
