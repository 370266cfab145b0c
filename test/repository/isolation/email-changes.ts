import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent, someProof } from '../../support/some-event.ts'
import { hour, newUser, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

type Changes = Parameters<Repository['users']['replace']>[2]

/** Works with a user of an account who has asked for another address, and is gone afterwards. */
async function withChange(
  repository: Repository,
  { accountId }: Tenant,
  work: (change: {
    userId: string
    confirmHash: string
    undoHash: string
    /** Replaces the user, with this address in place of the other */
    toReplacement(ofAccount: string, email: string): Parameters<Repository['users']['replace']>
    email: string
    formerEmail: string
  }) => Promise<void>,
) {
  const user = newUser()
  await repository.users.create(accountId, user, someEvent(accountId))
  const email = `${randomUUID()}@new.example`
  const [confirmHash, undoHash] = [nextId(), nextId()]
  const change = {
    ...{ email, confirmHash, undoHash },
    ...{ confirmExpiresAt: start + hour, undoExpiresAt: start + hour },
  }
  const { request } = repository.emailChanges
  const requested = await request(accountId, user.id, change, () => someEvent(accountId))
  expect(requested).toMatchObject({ user: { id: user.id } })
  const { name, roles, metadata } = user
  await work({
    ...{ userId: user.id, confirmHash, undoHash, email, formerEmail: user.email },
    toReplacement: (ofAccount, wanted) => {
      const present = wanted === email ? user.email : email
      const before = { user: { ...user, email: present }, version: 1 }
      const profile = { name, roles, metadata, email: wanted }
      const changes: Changes = { ...profile, before, keepsEmailChanges: true, updatedAt: start }
      return [ofAccount, user.id, changes, null, someEvent(ofAccount)]
    },
  })
  await repository.users.delete(accountId, user.id, null, () => someEvent(accountId))
}

export const emailChangesIsolation = {
  request: (repository, mine, theirs) =>
    withChange(repository, theirs, async ({ userId, confirmHash }) => {
      const { request, findOpen } = repository.emailChanges
      const change = {
        ...{ email: 'ada@new.example', confirmHash: nextId(), undoHash: nextId() },
        ...{ confirmExpiresAt: start + hour, undoExpiresAt: start + hour },
      }
      const asked = request(mine.accountId, userId, change, () => someEvent(mine.accountId))
      expect(await asked).toBe('user_not_found')
      expect(await findOpen(theirs.accountId, confirmHash, start)).toMatchObject({ userId })
    }),
  findOpen: (repository, mine, theirs) =>
    withChange(repository, theirs, async ({ userId, confirmHash, email, formerEmail }) => {
      const { findOpen } = repository.emailChanges
      expect(await findOpen(mine.accountId, confirmHash, start)).toBeUndefined()
      const found = await findOpen(theirs.accountId, confirmHash, start)
      expect(found).toEqual({ userId, email, formerEmail })
    }),
  confirm: (repository, mine, theirs) =>
    withChange(repository, theirs, async ({ userId, confirmHash, email, toReplacement }) => {
      const { confirm } = repository.emailChanges
      const confirmIn = ({ accountId }: Tenant) =>
        confirm(toReplacement(accountId, email), confirmHash, someProof(accountId))
      expect(await confirmIn(mine)).toBe('user_not_found')
      expect(await confirmIn(theirs)).toMatchObject({ changed: { user: { id: userId, email } } })
    }),
  findUndoable: (repository, mine, theirs) =>
    withChange(repository, theirs, async ({ userId, undoHash, formerEmail }) => {
      const { findUndoable } = repository.emailChanges
      expect(await findUndoable(mine.accountId, undoHash, start)).toBeUndefined()
      const found = await findUndoable(theirs.accountId, undoHash, start)
      expect(found).toEqual({ userId, email: formerEmail, isConfirmed: false })
    }),
  cancel: (repository, mine, theirs) =>
    withChange(repository, theirs, async ({ userId, undoHash }) => {
      const cancelIn = ({ accountId }: Tenant) =>
        repository.emailChanges.cancel(accountId, userId, undoHash, () => someEvent(accountId))
      expect(await cancelIn(mine)).toBeUndefined()
      expect(await cancelIn(theirs)).toBeDefined()
    }),
  undo: (repository, mine, theirs) =>
    withChange(repository, theirs, async (change) => {
      const { userId, confirmHash, undoHash, email, formerEmail, toReplacement } = change
      const { confirm, undo } = repository.emailChanges
      const { accountId } = theirs
      await confirm(toReplacement(accountId, email), confirmHash, someProof(accountId))
      const undoIn = ({ accountId: id }: Tenant) => {
        const events = { ...someProof(id), passwordExpired: someEvent<'user.password_expired'>(id) }
        return undo(toReplacement(id, formerEmail), undoHash, events)
      }
      expect(await undoIn(mine)).toBe('user_not_found')
      const user = { id: userId, email: formerEmail }
      expect(await undoIn(theirs)).toMatchObject({ changed: { user } })
    }),
} satisfies IsolationCases<'emailChanges'>
