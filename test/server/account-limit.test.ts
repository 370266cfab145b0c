import { afterEach, expect, test, vi } from 'vitest'
import { AccountLimit } from '../../packages/cli/src/server/mail/account-limit.ts'

afterEach(() => void vi.useRealTimers())

test('a mail that has waited ten seconds for others of its account is refused, to be tried again', async () => {
  // What else runs in this process may wait otherwise.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const others = vi.getTimerCount()
  const limit = new AccountLimit(2)
  const ends: (() => void)[] = []
  const hang = () => new Promise<void>((resolve) => void ends.push(resolve))
  const running = [limit.run('busy', hang), limit.run('busy', hang)]
  let sent = 0
  const send = async () => ++sent
  const refused = expect(limit.run('busy', send)).rejects.toMatchObject({ isFinal: false })
  await vi.advanceTimersByTimeAsync(9_000)
  const late = limit.run('busy', send)
  expect(await limit.run('other', send)).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  await refused
  ends[0]?.()
  expect(await late).toBe(2)
  ends[1]?.()
  await Promise.all(running)
  expect(await limit.run('busy', send)).toBe(3)
  expect(vi.getTimerCount()).toBe(others)
})
