import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { someEvent, someProof } from '../support/some-event.ts'
import { changesTo, hour, type NewUser, newAccount, newUser, nextId, start } from './world.ts'

const rounds = Array.from({ length: 20 }, (_, index) => index)

/** What is proved of an address, and mailed to it, at the moment when the user gets another one. */
export function describeAddressRaces(repository: () => Repository, another: () => Repository) {
  let second: Repository | undefined
  const other = () => {
    second ??= another()
    return second
  }

  async function withUser(changes?: Parameters<typeof newUser>[0]) {
    const accountId = await newAccount(repository())
    const user = newUser(changes)
    await repository().users.create(accountId, user, someEvent(accountId))
    return { accountId, user }
  }

  async function changeAddress(
    accountId: string,
    user: NewUser,
    [from, to]: [string, string],
    version: number,
  ) {
    const before = { user: { ...user, email: from }, version }
    const changes = { ...changesTo(user, { email: to }), before }
    const { replace } = repository().users
    const outcome = await replace(accountId, user.id, changes, version, someEvent(accountId))
    expect(outcome).toMatchObject({ version: version + 1 })
  }

  /** Does something about the address while the user gets another one, and then the former one back. */
  async function thereAndBack(
    accountId: string,
    user: NewUser,
    meanwhile: () => Promise<unknown>,
    round: number,
  ) {
    const [mine, theirs]: [string, string] = [user.email, `${randomUUID()}@example.com`]
    const doing = meanwhile()
    // The later the change comes, the more of the other has happened.
    for (let turn = 0; turn < round % 10; turn++) await new Promise(setImmediate)
    await Promise.all([doing, changeAddress(accountId, user, [mine, theirs], 1)])
    await changeAddress(accountId, user, [theirs, mine], 2)
  }

  const mailed = (user: NewUser, purpose: 'password_reset' | 'email_verification') => ({
    ...{ userId: user.id, purpose, hash: nextId(), email: user.email, expiresAt: start + hour },
  })

  test('a verification does not count when the address is taken back', async () => {
    for (const round of rounds) {
      const { accountId, user } = await withUser()
      const { create, verifyEmail } = other().emailTokens
      const token = mailed(user, 'email_verification')
      await create(accountId, token)
      const verify = () => verifyEmail(accountId, token.hash, start, someProof(accountId))
      await thereAndBack(accountId, user, verify, round)
      const { findVerifiedAt } = repository().emailTokens
      expect(await findVerifiedAt(accountId, user.id)).toBeUndefined()
    }
  })

  test('a reset that was asked for does not work when the address is taken back', async () => {
    for (const round of rounds) {
      const { accountId, user } = await withUser()
      const token = mailed(user, 'password_reset')
      const ask = () => other().emailTokens.create(accountId, token)
      await thereAndBack(accountId, user, ask, round)
      const found = repository().emailTokens.find(accountId, token.hash, token.purpose, start)
      expect(await found).toBeUndefined()
    }
  })

  test('an invitation does not work when the address is taken back', async () => {
    for (const round of rounds) {
      const { accountId, user } = await withUser({ passwordHash: null })
      const invitation = { hash: nextId(), expiresAt: start + hour }
      const invite = () =>
        other().invitations.renew(accountId, user.id, invitation, () => someEvent(accountId))
      await thereAndBack(accountId, user, invite, round)
      const found = repository().invitations.find(accountId, invitation.hash, start)
      expect(await found).toBeUndefined()
    }
  })
}
