import { randomUUID } from 'node:crypto'
import {
  type Clientele,
  createClientele,
  type ImportResult,
  type Repository,
} from '@clientele/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PasswordHasher } from '../../packages/core/src/capabilities/passwords/password-hasher.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { someEvent } from '../support/some-event.ts'
import { alike, applicationHashes } from './application-hashes.ts'
import { vectors } from './hash-vectors.ts'
import { cheapHashing, codeOf, LogRecorder, openRepository } from './open-clientele.ts'
import { refused } from './refused-hashes.ts'

/** As on the command line: Django's argon2 takes 100 MiB. */
const ofOperators = { milliseconds: 1_000, mebibytes: 256 }

describe.each(databases)('stored hashes on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let clientele: Clientele
  let accountId: string
  const logger = new LogRecorder()

  beforeAll(async () => {
    database = await open()
    repository = openRepository(database.url)
    clientele = await createClientele({
      repository,
      logger,
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing: cheapHashing },
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function importUser(passwordHash: string): Promise<string> {
    const email = `${randomUUID()}@example.com`
    await repository.users.create(
      accountId,
      {
        id: randomUUID(),
        email,
        name: 'Imported',
        roles: '[]',
        metadata: '{}',
        passwordHash,
        isActive: true,
        createdAt: Date.now(),
        updatedAt: Date.now(),
      },
      someEvent(accountId),
    )
    return email
  }
  const storedHash = async (email: string) =>
    (await repository.users.findCredentials(accountId, email))?.passwordHash

  async function dryRun(users: object[], hashLimits = ofOperators): Promise<ImportResult> {
    async function* records() {
      for (const [index, value] of users.entries()) yield { line: index + 1, value }
    }
    return clientele.users.import(accountId, records(), {
      dryRun: true,
      onError: 'skip',
      hashLimits,
    })
  }
  const importOf = async (passwordHash: string) =>
    dryRun([{ email: 'a@example.com', name: 'Ada', passwordHash: passwordHash }])

  test.each([...vectors, ...applicationHashes])(
    '$name signs in, and is replaced by ours',
    async ({ hash, password }) => {
      const email = await importUser(hash)
      expect(
        await codeOf(clientele.auth.logIn(accountId, { email, password: `${password}!` })),
      ).toBe('credentials_invalid')
      expect(await storedHash(email)).toBe(hash)
      expect((await importOf(hash)).imported).toBe(1)
      await clientele.auth.logIn(accountId, { email, password })
      expect(await storedHash(email)).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
      await clientele.auth.logIn(accountId, { email, password })
      expect(
        await codeOf(clientele.auth.logIn(accountId, { email, password: `${password}!` })),
      ).toBe('credentials_invalid')
    },
  )

  test.each(alike)(
    '$name: signs in as typed, and is replaced by the password alone',
    async ({ hash, password, typed }) => {
      const email = await importUser(hash)
      await clientele.auth.logIn(accountId, { email, password: typed })
      expect(await storedHash(email)).toBe(hash)
      expect(await codeOf(clientele.auth.logIn(accountId, { email, password: 'no such 1' }))).toBe(
        'credentials_invalid',
      )
      await clientele.auth.logIn(accountId, { email, password })
      // More than bcrypt compares: whatever stands behind it cannot be told from the password.
      if (Buffer.byteLength(password) > 72) expect(await storedHash(email)).toBe(hash)
      else expect(await storedHash(email)).toMatch(/^\$argon2id\$/)
    },
  )

  test.each(Object.entries(refused))(
    '%s is a failed sign-in, and an error in the log without the hash',
    async (_, hash) => {
      const email = await importUser(hash)
      logger.lines.length = 0
      for (const password of ['password', 'user1password', 'U*U']) {
        const outcome = await codeOf(clientele.auth.logIn(accountId, { email, password }))
        expect(outcome).toBe('credentials_invalid')
      }
      expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
      const logged = JSON.stringify(logger.lines)
      expect(logged).toContain(accountId)
      const { imported, errors } = await importOf(hash)
      expect([imported, errors[0]?.code]).toEqual([0, 'format'])
      // Words are not secrets: a reason may name an algorithm.
      const secrets = hash.match(/[\w.+/=-]{9,}/g)?.filter((part) => !/^[A-Za-z]+$/.test(part))
      for (const part of secrets ?? []) {
        expect(logged).not.toContain(part)
        expect(errors[0]?.message).not.toContain(part)
      }
    },
  )

  test('a hash with a changed character is accepted or refused, and never a fault', async () => {
    const names = fc.constantFrom(...vectors, ...applicationHashes)
    const change = fc.tuple(names, fc.nat(), fc.string({ maxLength: 3 }), fc.nat(2))
    const changes = fc.sample(change, { numRuns: 1000, seed: 9 })
    const users = changes.map(([{ hash }, number, text, length], index) => {
      const at = number % hash.length
      const changed = hash.slice(0, at) + text + hash.slice(at + length)
      return { email: `${index}@example.com`, name: 'Ada', passwordHash: changed }
    })
    const result = await dryRun(users)
    expect(result.imported).toBeGreaterThan(100)
    expect(result.skipped).toBeGreaterThan(100)
    expect(new Set(result.errors.map(({ code }) => code))).toEqual(new Set(['format']))
  })

  test('two first sign-ins at once both succeed, and leave one hash', async () => {
    const email = await importUser('$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW')
    const logIn = () => codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))
    expect(await Promise.all([logIn(), logIn(), logIn(), logIn()])).toEqual(
      Array(4).fill(undefined),
    )
    expect(await codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))).toBe(
      undefined,
    )
  })

  test.each([
    '$2b$11$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$P$D2osj23fXIKlc8KEVvsTqb2YUvV/KH0',
  ])('the event loop stays free while a costly hash is compared: %s', async (hash) => {
    const email = await importUser(hash)
    let ticks = 0
    const timer = setInterval(() => ticks++, 2)
    await codeOf(clientele.auth.logIn(accountId, { email, password: 'U*U' }))
    clearInterval(timer)
    // Had the comparison held the thread, the timer would have had its turn once at most.
    expect(ticks).toBeGreaterThan(3)
  })
})

test('each text that a password may have been hashed as has a turn of its own', async () => {
  let turns = 0
  const hasher = new PasswordHasher({}, new LogRecorder(), () => turns++)
  const countTurns = async (password: string) => {
    turns = 0
    const hash = '$wp$2y$04$84WEEM056cl1tjHr95eb1egYp2fpn191npHSPidZCX9mXj.GBXNqG'
    return [await hasher.verify('account', hash, password), turns]
  }
  expect(await countTurns('it\'s a "password"')).toEqual([true, 2])
  expect(await countTurns('without quotes')).toEqual([false, 1])
})
