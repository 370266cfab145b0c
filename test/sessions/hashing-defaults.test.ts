import { expect, test } from 'vitest'
import { HashTurns } from '../../packages/core/src/capabilities/passwords/hash-turns.ts'
import { PasswordHasher } from '../../packages/core/src/capabilities/passwords/password-hasher.ts'
import { LogRecorder } from '../keys/open-clientele.ts'

const settle = () => new Promise(setImmediate)

test('a password is hashed by argon2id with 19 MiB, two passes and one lane', async () => {
  const hash = await new PasswordHasher({}, new LogRecorder()).hash('account', 'password')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a hundred and twenty-eight hashes of one account wait, and no more', async () => {
  const cheap = { memoryKiB: 64, passes: 1, concurrency: 1 }
  const hasher = new PasswordHasher(cheap, new LogRecorder())
  const hash = () => hasher.hash('account', 'password')
  const results = await Promise.allSettled(Array.from({ length: 150 }, hash))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(129)
  expect(results.at(-1)).toMatchObject({ reason: { code: 'overloaded' } })
})

test('hashes above our own cost leave a place to ours', async () => {
  const ownCost = { milliseconds: 10, memoryBytes: 19 * 1024 ** 2 }
  const turns = new HashTurns({ ownCost, concurrency: 3, queueLength: 10, threads: 4 })
  const began: string[] = []
  const ends: (() => void)[] = []
  const begin = (name: string, milliseconds: number) =>
    turns.run(name, { ...ownCost, milliseconds }, () => {
      began.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = [
    begin('expensive', 200),
    begin('another expensive', 200),
    begin('excessive', 5_000),
    begin('ours', 10),
  ]
  await settle()
  expect(began).toEqual(['expensive', 'another expensive', 'ours'])
  while (ends.length > 0) {
    ends.shift()?.()
    await settle()
  }
  await Promise.all(all)
})
