import { expect, test } from 'vitest'
import { toIsoText } from '../../packages/core/src/base/input/instant.ts'

const minute = 60_000
const lastTime = 8.64e15

test('a time is written as a Date writes it', () => {
  const times = [0, -1, 1, 999, 1_000, -86_400_000, -62_167_219_200_001, 253_402_300_800_000]
  for (const time of [...times, lastTime, -lastTime, 1.5, -1.5])
    expect(toIsoText(time)).toBe(new Date(time).toISOString())
  // More than two days, across midnights, with steps that meet each digit
  const start = Date.UTC(2024, 1, 28, 23, 59)
  for (let time = start; time < start + 3_000 * minute; time += 7_919)
    expect(toIsoText(time)).toBe(new Date(time).toISOString())
  expect(toIsoText(new Date(start))).toBe('2024-02-28T23:59:00.000Z')
})

test('a time outside of the range of Date is refused', () => {
  for (const time of [Number.NaN, Infinity, lastTime + 1])
    expect(() => toIsoText(time)).toThrow(RangeError)
})
