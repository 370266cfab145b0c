import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import type { RecordedRepository } from '../support/statement-recorder.ts'

const databases = eitherDatabase(import.meta.filename)

const email = 'ada@example.com'

// How long the database works must not reveal whether there is a user.
describe.each(databases)('writes about an e-mail on $name', ({ open }) => {
  let world: RecordedClientele
  let recorded: RecordedRepository
  let clientele: Clientele
  let accountId: string

  beforeAll(async () => {
    world = await openRecordedClientele(open, {
      rateLimits: { unknownEmails: { points: 1, windowSeconds: 3600 } },
      sendMail: async () => {},
    })
    ;({ clientele, recorded } = world)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    await clientele.users.create(accountId, { name: 'Ada', email, password: 'password' })
  })
  afterAll(() => world.close())

  /** How many statements write, while something is done and for a moment after it. */
  async function countWrites(work: () => Promise<unknown>): Promise<number> {
    recorded.take()
    await work()
    await new Promise((resolve) => setTimeout(resolve, 300))
    return recorded.take().filter(({ sql }) => /\b(insert into|update|delete from) "/.test(sql))
      .length
  }

  test('are as many if there is no user: a requested reset', async () => {
    const ask = (asked: string) => () => clientele.auth.forgotPassword(accountId, { email: asked })
    const known = await countWrites(ask(email))
    expect(known).toBeGreaterThan(1)
    expect(await countWrites(ask('first@example.com'))).toBe(known)
  })

  test('are as many if there is no user: a requested sign-in code', async () => {
    await clientele.accounts.setPolicy(accountId, { signIn: ['password', 'email_code'] })
    const ask = (asked: string) => () => clientele.auth.mailSignInCode(accountId, { email: asked })
    const known = await countWrites(ask(email))
    expect(known).toBe(3)
    expect(await countWrites(ask('sixth@example.com'))).toBe(known)
  })

  test('are as many if no more events are written: a failed sign-in', async () => {
    const fail = (typed: string) => () =>
      codeOf(clientele.auth.logIn(accountId, { email: typed, password: 'wrong password' }))
    const known = await countWrites(fail(email))
    expect(known).toBeGreaterThan(1)
    expect(await countWrites(fail('second@example.com'))).toBe(known)
    expect(await countWrites(fail('third@example.com'))).toBe(known)
  })
})
