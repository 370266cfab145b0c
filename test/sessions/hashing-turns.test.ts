import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, PasswordHashing } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cheapHashing, codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const password = 'password'
/** What its format makes cost as much as some hundred of the cheap ones. */
const costlyHash = createPbkdf2Hash(300_000)
/** About a second, and more than may be imported without the operator's word */
const excessiveHash = createPbkdf2Hash(4_100_000)
const ofOperators = { milliseconds: 10_000 }

describe.each(anyDatabase)('the turns of accounts that hash, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(hashing: PasswordHashing, onCheck: () => void = () => {}) {
    const { clientele } = await world.start({
      passwords: {
        hashing,
        isBreached: async () => {
          onCheck()
          return false
        },
      },
      rateLimits: { store: 'memory' },
    })
    const [busy, other] = await Promise.all(
      ['busy', 'other'].map(async (name) => (await clientele.accounts.create({ name })).id),
    )
    if (busy === undefined || other === undefined) throw new Error('There are two accounts.')
    return { clientele, busy, other }
  }

  const newUser = () => ({ name: 'Ada', email: `${randomUUID()}@example.com`, password })

  /** Imports users who have this hash; answers with their addresses. */
  async function importMany(clientele: Clientele, accountId: string, hash: string, count: number) {
    const users = Array.from({ length: count }, newUser)
    async function* readRecords() {
      for (const [index, { name, email }] of users.entries())
        yield { line: index + 1, value: { name, email, passwordHash: hash } }
    }
    const result = await clientele.users.import(accountId, readRecords(), {
      hashLimits: ofOperators,
    })
    expect(result).toMatchObject({ imported: count })
    return users.map(({ email }) => email)
  }

  /** Begins to sign all of them in with a wrong password; `done` says how many have been told so. */
  function tryAll(clientele: Clientele, accountId: string, emails: readonly string[]) {
    const state = { done: 0, first: Promise.resolve(), all: Promise.resolve() }
    const attempts = emails.map(async (email) => {
      const code = await codeOf(clientele.auth.logIn(accountId, { email, password: 'wrong' }))
      expect(code).toBe('credentials_invalid')
      state.done++
    })
    state.first = Promise.race(attempts)
    state.all = Promise.all(attempts).then(() => {})
    return state
  }

  /** Starts a number of creations; `done` counts the finished ones. */
  function createMany(clientele: Clientele, accountId: string, count: number) {
    const state = { done: 0, codes: [] as unknown[], all: Promise.resolve() }
    const create = async (): Promise<void> => {
      state.codes.push(await codeOf(clientele.users.create(accountId, newUser())))
      state.done++
    }
    state.all = Promise.all(Array.from({ length: count }, create)).then(() => {})
    return state
  }

  test('an account that comes later waits for one turn of the others, not for all their work', async () => {
    const { clientele, busy, other } = await start({ concurrency: 1 })
    const first = createMany(clientele, busy, 40)
    const second = createMany(clientele, other, 4)
    await second.all
    expect(first.done).toBeLessThan(20)
    await first.all
    expect([...first.codes, ...second.codes]).toEqual(new Array(44).fill(undefined))
  })

  test('a full queue is full for one account only', async () => {
    const { clientele, busy, other } = await start({ concurrency: 1, queueLength: 8 })
    const first = createMany(clientele, busy, 40)
    const second = createMany(clientele, other, 8)
    await Promise.all([first.all, second.all])
    expect(new Set(first.codes)).toEqual(new Set([undefined, 'overloaded']))
    expect(second.codes).toEqual(new Array(8).fill(undefined))
  })

  test("an import's passwords take turns with the sign-ins of other accounts", async () => {
    let checked = 0
    let second: ReturnType<typeof createMany> | undefined
    const { clientele, busy, other } = await start({ concurrency: 1 }, () => {
      checked++
      // All have been looked at: they are hashed next.
      if (checked === 32)
        setImmediate(() => {
          second = createMany(clientele, other, 4)
        })
    })
    async function* readRecords() {
      for (let line = 1; line <= 32; line++) yield { line, value: newUser() }
    }
    const importing = clientele.users.import(busy, readRecords())
    await expect.poll(() => second).toBeDefined()
    const winner = await Promise.race([
      importing.then(() => 'the import'),
      second?.all.then(() => 'the others'),
    ])
    expect(winner).toBe('the others')
    expect(await importing).toMatchObject({ imported: 32 })
  })

  test('costly hashes of one account do not take all the places while others wait', async () => {
    const { clientele, busy, other } = await start({ ...cheapHashing, concurrency: 2 })
    const attempts = tryAll(clientele, busy, await importMany(clientele, busy, costlyHash, 12))
    await attempts.first
    // Two more run; what waits behind them takes turns.
    await createMany(clientele, other, 16).all
    expect(attempts.done).toBeLessThan(8)
    await attempts.all
  }, 60_000)

  test('a hash of seconds delays no hash of another account, whatever its cost', async () => {
    const { clientele, busy, other } = await start({ ...cheapHashing, concurrency: 1 })
    const dear = await importMany(clientele, other, costlyHash, 2)
    const attempts = tryAll(clientele, busy, await importMany(clientele, busy, excessiveHash, 2))
    await sleep(100)
    await Promise.all([createMany(clientele, other, 16).all, tryAll(clientele, other, dear).all])
    expect(attempts.done).toBe(0)
    await attempts.all
  }, 60_000)

  test('of two accounts with expensive hashes, the more expensive one gets no more time', async () => {
    const { clientele, busy, other } = await start({ ...cheapHashing, concurrency: 2 })
    const cheaper = await importMany(clientele, other, createPbkdf2Hash(30_000), 12)
    const dearer = tryAll(clientele, busy, await importMany(clientele, busy, costlyHash, 12))
    const others = tryAll(clientele, other, cheaper)
    await others.all
    // By turns it would be as many; ten of the cheaper ones take the time of one.
    expect(dearer.done).toBeLessThan(6)
    await dearer.all
  }, 60_000)
})

/** In the form of passlib, `$pbkdf2-sha256$rounds$salt$checksum`, of a password that no test knows. */
function createPbkdf2Hash(rounds: number): string {
  const encode = (bytes: Buffer) =>
    bytes.toString('base64').replaceAll('+', '.').replaceAll('=', '')
  return `$pbkdf2-sha256$${rounds}$${encode(randomBytes(16))}$${encode(randomBytes(32))}`
}
