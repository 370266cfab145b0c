import { expect, test } from 'vitest'
import { EventLimits } from '../../packages/core/src/capabilities/rate-limits/event-limits.ts'
import { RemoteKeys } from '../../packages/core/src/capabilities/trusted-issuers/remote-keys.ts'
import { SignInHistory } from '../../packages/core/src/console/sign-in-history.ts'

// What a process remembers with a time. The clock was ahead for a while.
const day = 24 * 3_600_000
const present = Date.parse('2026-05-05T12:00:00Z')
let now = present
const clock = () => now

async function ahead<T>(work: () => T | Promise<T>, ms = 400 * day): Promise<T> {
  now = present + ms
  const result = await work()
  now = present
  return result
}

test("an issuer's keys stay known, and are read again", async () => {
  let reads = 0
  const read = async () => {
    reads++
    return [{ kid: 'a' }]
  }
  const keys = new RemoteKeys({ clock, read, onFault: () => {} })
  const find = () => keys.find(({ kid }) => kid === 'a')
  await ahead(find)
  expect(await find()).toHaveLength(1)
  await expect.poll(() => reads).toBe(2)
})

test('refused uses of an API key are told again', async () => {
  const limits = new EventLimits({ kind: 'memory' }, { points: 1, windowSeconds: 60 }, clock)
  expect(await ahead(() => limits.wakeForKey('key'))).toBe(true)
  expect(limits.wakeForKey('key')).toBe(true)
  expect(limits.wakeForKey('key')).toBe(false)
})

test('sign-ins of today are counted', async () => {
  const history = new SignInHistory()
  const today = Math.floor(present / day)
  const countSignIns = async (_: string, { first, last }: { first: number; last: number }) =>
    first <= today && today <= last ? [{ day: today, succeeded: 1, failed: 0 }] : []
  const services = { clock, repository: { console: { countSignIns } } } as never
  const read = () => history.read(services, 'account', Math.floor(now / day) - 6)
  await read()
  await ahead(read, 2 * day)
  expect([...(await read()).keys()]).toEqual([today])
})
