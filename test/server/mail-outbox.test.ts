import type { Mail } from '@clientele/core'
import { beforeEach, expect, test, vi } from 'vitest'
import { MailOutbox } from '../../packages/cli/src/server/mail/mail-outbox.ts'
import { MailFailure } from '../../packages/cli/src/server/mail/mail-sender.ts'
import { LogRecorder } from '../keys/open-clientele.ts'

/** What the mail service does with each mail; `fail` at first */
let deliver: () => Promise<void>
/** The accounts whose mails were tried, in order */
let tried: string[]
let logger: LogRecorder
let outbox: MailOutbox

const fail = () => Promise.reject(new MailFailure('MAIL_WEBHOOK answered 503.'))
const succeed = () => Promise.resolve()

beforeEach(() => {
  vi.useFakeTimers()
  deliver = fail
  tried = []
  logger = new LogRecorder()
  const sender = {
    deliver: ({ mail }: { mail: Mail }) => {
      tried.push(mail.accountId)
      return deliver()
    },
    close: () => {},
  }
  outbox = new MailOutbox(sender, logger)
  return () => vi.useRealTimers()
})

/** @returns how many were taken */
async function send(accountId: string, count: number): Promise<number> {
  const now = new Date(0)
  const user = {
    ...{ id: `user-of-${accountId}`, name: 'Ada', email: 'ada@example.com', phone: null },
    ...{ isActive: true, roles: [], metadata: {}, createdAt: now, updatedAt: now },
  }
  const mail = {
    ...{ kind: 'password_reset' as const, to: user.email },
    ...{ token: 'x', expiresInSeconds: 3_600 },
  }
  const mails = Array.from({ length: count }, () => outbox.send({ ...mail, accountId, user }))
  const ends = await Promise.allSettled(mails)
  return ends.filter(({ status }) => status === 'fulfilled').length
}

const countOf = (accountId: string) => tried.filter((each) => each === accountId).length
const losses = () =>
  logger.lines
    .filter(({ message }) => message === 'A mail could not be sent.')
    .map(({ details }) => Reflect.get(details, 'accountId'))

test("when all places are taken, the account with the most waiting mails loses its newest, and no other's", async () => {
  expect(await send('flood', 4_000)).toBe(1_000)
  expect(await send('small', 3)).toBe(3)
  expect(await send('other', 1)).toBe(1)
  expect(await send('flood', 10)).toBe(0)
  expect(losses()).toEqual(Array(4).fill('flood'))

  deliver = succeed
  tried = []
  await vi.advanceTimersByTimeAsync(60_000)
  expect([countOf('flood'), countOf('small'), countOf('other')]).toEqual([996, 3, 1])
  expect(losses()).toHaveLength(4)
})

test('two accounts that flood get half of the places each', async () => {
  await send('flood', 2_000)
  await send('another', 2_000)
  tried = []
  deliver = succeed
  await vi.advanceTimersByTimeAsync(60_000)
  expect([countOf('flood'), countOf('another')]).toEqual([500, 500])
})

test('accounts take turns at attempts: 16 at once, four of each', async () => {
  const floods = ['a', 'b', 'c', 'd']
  for (const flood of floods) await send(flood, 20)
  await vi.advanceTimersByTimeAsync(3_000)
  await send('small', 2)
  const ends: (() => void)[] = []
  deliver = () => new Promise((resolve) => ends.push(resolve))
  tried = []
  await vi.advanceTimersByTimeAsync(6_000)
  expect(tried.toSorted()).toEqual(floods.flatMap((flood) => Array(4).fill(flood)))
  for (const end of ends.splice(0, 3)) end()
  await vi.advanceTimersByTimeAsync(0)
  expect(tried.slice(16, 18)).toEqual(['small', 'small'])
  expect(floods).toContain(tried[18])
})

test('an account whose attempts hang leaves places to others', async () => {
  await send('flood', 200)
  await vi.advanceTimersByTimeAsync(3_000)
  await send('small', 2)
  deliver = () => new Promise(() => {})
  tried = []
  await vi.advanceTimersByTimeAsync(6_000)
  expect(tried).toEqual([...Array(4).fill('flood'), 'small', 'small'])
})

test('a mail that fails again waits again, after a longer pause', async () => {
  await send('small', 1)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(tried).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(tried).toHaveLength(2)
  deliver = succeed
  await vi.advanceTimersByTimeAsync(20_000)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(tried).toHaveLength(3)
})

test('the last attempts at the stop have turns for accounts', async () => {
  await send('flood', 10)
  await send('small', 2)
  deliver = succeed
  tried = []
  await outbox.close()
  expect(tried.slice(0, 4)).toEqual(['flood', 'small', 'flood', 'small'])
  expect(tried).toHaveLength(12)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(tried).toHaveLength(12)
})
