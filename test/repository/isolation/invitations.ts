import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent, someProof } from '../../support/some-event.ts'
import { hour, type NewUser, newUser, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

type StoredUser = Omit<NewUser, 'passwordHash'>

const newInvitation = () => ({ hash: nextId(), expiresAt: start + hour })

function eventsOf(accountId: string) {
  return {
    created: someEvent<'user.created'>(accountId),
    invited: someEvent<'user.invited'>(accountId),
    updated: someEvent<'user.updated'>(accountId),
    ...someProof(accountId),
  }
}

/** Works with an invited user of an account, who is gone afterwards. */
async function withInvited(
  repository: Repository,
  { accountId }: Tenant,
  work: (invited: { user: StoredUser; hash: string }) => Promise<void>,
) {
  const { passwordHash: _, ...user } = newUser()
  const invitation = newInvitation()
  const { create } = repository.invitations
  expect(await create(accountId, user, invitation, eventsOf(accountId))).toBe('created')
  await work({ user, hash: invitation.hash })
  await repository.users.delete(accountId, user.id, null, () => someEvent(accountId))
}

export const invitationsIsolation = {
  create: (repository, mine, theirs) =>
    withInvited(repository, theirs, async ({ user }) => {
      // The same address is free here.
      const { passwordHash: _, ...other } = newUser({ email: user.email })
      const { create } = repository.invitations
      const events = eventsOf(mine.accountId)
      expect(await create(mine.accountId, other, newInvitation(), events)).toBe('created')
      expect((await repository.users.find(theirs.accountId, user.id))?.version).toBe(1)
      expect(await repository.users.find(theirs.accountId, other.id)).toBeUndefined()
    }),
  renew: (repository, mine, theirs) =>
    withInvited(repository, theirs, async ({ user, hash }) => {
      const renew = repository.invitations.renew(mine.accountId, user.id, newInvitation(), () =>
        someEvent(mine.accountId),
      )
      expect(await renew).toBe('user_not_found')
      expect(await repository.invitations.find(theirs.accountId, hash, start)).toBe(user.id)
    }),
  find: (repository, mine, theirs) =>
    withInvited(repository, theirs, async ({ user, hash }) => {
      expect(await repository.invitations.find(mine.accountId, hash, start)).toBeUndefined()
      expect(await repository.invitations.find(theirs.accountId, hash, start)).toBe(user.id)
    }),
  accept: (repository, mine, theirs) =>
    withInvited(repository, theirs, async ({ user, hash }) => {
      const accept = (accountId: string) =>
        repository.invitations.accept(accountId, hash, 'a hash', start, eventsOf(accountId))
      expect(await accept(mine.accountId)).toBeUndefined()
      const { findVerifiedAt } = repository.emailTokens
      expect(await findVerifiedAt(theirs.accountId, user.id)).toBeUndefined()
      expect(await accept(theirs.accountId)).toMatchObject({ user: { id: user.id } })
      expect(await accept(theirs.accountId)).toBeUndefined()
    }),
} satisfies IsolationCases<'invitations'>
