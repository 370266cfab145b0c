import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Call } from '../../packages/core/src/base/call/call.ts'
import {
  type InPlace,
  LargeResponses,
} from '../../packages/core/src/base/runtime/large-responses.ts'
import type { TokensServices } from '../../packages/core/src/capabilities/tokens/services.ts'
import { validateLargeBatch } from '../../packages/core/src/capabilities/tokens/validate-tokens.ts'
import { encodeUsers } from '../../packages/core/src/capabilities/users/list-users.ts'
import { memoryOfUsers } from '../../packages/core/src/user-model/render-user.ts'
import { newUser } from '../repository/world.ts'
import { watchTurns } from '../support/watch-turns.ts'

const metadata = { note: 'é'.repeat(4_000) }
const users = Array.from({ length: 40 }, () => newUser({ metadata }))
const maxPartBytes = 64 * 1024

test('lists of an account that had a large one are read one after the other, and a turn of the event loop renders one part of all of them', async () => {
  const responses = new LargeResponses()
  responses.note('list', 'small', memoryOfUsers(users.slice(0, 10)))
  responses.note('list', 'large', memoryOfUsers(users))
  expect(['small', 'large'].map((account) => responses.has('list', account))).toEqual([false, true])
  expect(responses.has('batch', 'large')).toBe(false)

  let running = 0
  let most = 0
  const read = async () => {
    most = Math.max(most, ++running)
    await endOfTurn()
    running--
  }
  await Promise.all([1, 2, 3].map(() => responses.read({ accountId: 'large' }, read)))
  expect(most).toBe(1)

  const watched = watchTurns()
  onTestFinished(watched.stop)
  const turns: number[] = []
  function* pieces() {
    yield Buffer.from('[')
    yield* encodeUsers(users)
    yield Buffer.from(']')
  }
  const collect = async (accountId: string) => {
    let body = ''
    const decoder = new TextDecoder()
    for await (const part of responses.render(accountId, pieces(), 0).stream) {
      expect(part.byteLength).toBeLessThanOrEqual(maxPartBytes)
      turns.push(watched.count())
      body += decoder.decode(part, { stream: true })
    }
    return JSON.parse(body)
  }
  const bodies = await Promise.all(['large', 'large', 'other'].map(collect))
  for (const body of bodies)
    expect(body.map(({ id }: { id: string }) => id)).toEqual(users.map(({ id }) => id))
  // Three lists of 320 KiB, in parts of a little more than 32.
  expect(turns.length).toBeGreaterThan(24)
  expect(new Set(turns).size).toBe(turns.length)
})

test('while those that are being sent take 16 MiB, no further one of the account is read', async () => {
  const responses = new LargeResponses()
  const pieces = [Buffer.from('[1,'), Buffer.from('2]')]
  const send = (accountId: string, mebibytes: number) =>
    responses.render(accountId, pieces, mebibytes * 1024 * 1024).stream[Symbol.asyncIterator]()
  const [first, second, other] = [send('large', 10), send('large', 10), send('other', 10)]
  const [body] = await Promise.all([first?.next(), second?.next(), other?.next()])
  expect(String(body?.value)).toBe('[1,2]')

  let isRead = false
  const reading = responses.read({ accountId: 'large' }, async () => {
    isRead = true
  })
  await responses.read({ accountId: 'other' }, async () => {})
  await endOfTurn()
  expect(isRead).toBe(false)
  await second?.return?.()
  await reading
  expect(isRead).toBe(true)
})

test('what happens between the parts of a large response takes none of the places', async () => {
  const responses = new LargeResponses()
  const ends: (() => void)[] = []
  // As the signatures of a batch, whose keys take long
  const slow = ['one', 'two', 'three', 'four'].map((accountId) =>
    responses.readParts({ accountId }, async (inPlace) => {
      await inPlace(async () => {})
      await new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await expect.poll(() => ends.length).toBe(4)
  expect(await responses.read({ accountId: 'another' }, async () => 'a page')).toBe('a page')
  for (const end of ends) end()
  await Promise.all(slow)
})

test('the users of a large batch of tokens are read twenty at a time', async () => {
  const read: number[] = []
  const services = {
    clock: Date.now,
    accessTokens: {
      read: (userToken: string) => ({ accountId: 'large', subject: { by: 'hash', userToken } }),
    },
    repository: {
      users: {
        findSubjects: async (_accountId: string, _now: number, subjects: readonly unknown[]) => {
          read.push(subjects.length)
          return []
        },
      },
    },
  } as unknown as TokensServices // all that is used of them
  const call = { accountId: 'large' } as Call // all that is used of it
  const tokens = Array.from({ length: 50 }, (_, index) => `cut_${index}`)
  let placed = 0
  const inPlace: InPlace = (part) => {
    placed++
    return part()
  }
  const outcomes = await validateLargeBatch(services, call, tokens, inPlace)
  expect(read).toEqual([20, 20, 10])
  expect(placed).toBe(3)
  expect(outcomes).toEqual(tokens.map(() => ({ code: 'token_unknown_key' })))
})
