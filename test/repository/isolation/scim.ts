import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { newUser, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

const givenNames = (userName: string) => ({
  userName,
  userNameKey: userName,
  externalId: 'external',
  givenName: 'Ada',
  familyName: null,
  fullName: 'Ada Lovelace',
})

function newGroup(role = `role ${nextId()}`) {
  const times = { createdAt: start, updatedAt: start }
  const names = { role, roleKey: role, externalId: null, formerRole: null, formerAfter: null }
  return { id: nextId(), ...names, version: 1, ...times }
}

/** Works with a user who has names, and is gone afterwards. */
async function withNamed(
  repository: Repository,
  { accountId }: Tenant,
  work: (named: { user: ReturnType<typeof newUser>; userName: string }) => Promise<void>,
) {
  const user = newUser()
  const userName = `name-${user.id}`
  const event = someEvent<'user.created'>(accountId)
  const { createUser } = repository.scim
  expect(await createUser(accountId, user, givenNames(userName), event)).toBe('created')
  await work({ user, userName })
  await repository.users.delete(accountId, user.id, null, () => someEvent(accountId))
}

/** Works while the other account's groups are leased to `theirs`, which holds them as before afterwards. */
async function withLease(
  { scim }: Repository,
  { accountId }: Tenant,
  work: (scim: Repository['scim']) => Promise<void>,
) {
  expect(await scim.leaseGroups(accountId, 'theirs')).toBe('leased')
  await work(scim)
  expect(await scim.findGroupLease(accountId)).toEqual({ holder: 'theirs', renewals: 0 })
  await scim.releaseGroups(accountId, 'theirs')
}

const renamed = { role: 'x', roleKey: 'x', externalId: null, formerRole: 'admin' }

/** Works with a group, which is gone afterwards. */
async function withGroup(
  repository: Repository,
  { accountId }: Tenant,
  work: (group: ReturnType<typeof newGroup>) => Promise<void>,
) {
  const group = newGroup()
  const event = someEvent<'group.created'>(accountId)
  expect(await repository.scim.createGroup(accountId, group, 10, event)).toBe('created')
  await work(group)
  await repository.scim.deleteGroup(accountId, group.id, 1, someEvent(accountId))
}

/** The same with a group that has had another role. */
async function withRenamed(
  repository: Repository,
  { accountId }: Tenant,
  work: (group: ReturnType<typeof newGroup>) => Promise<void>,
) {
  const group = newGroup()
  const { createGroup, updateGroup, deleteGroup } = repository.scim
  expect(await createGroup(accountId, group, 10, someEvent(accountId))).toBe('created')
  const changes = { ...renamed, updatedAt: start }
  await updateGroup(accountId, group.id, changes, 1, someEvent(accountId))
  await work(group)
  await deleteGroup(accountId, group.id, 2, someEvent(accountId))
}

export const scimIsolation = {
  createUser: (repository, mine, theirs) =>
    withNamed(repository, theirs, ({ userName }) =>
      // The same name is free here.
      withNamed(repository, mine, async ({ user }) => {
        const other = newUser()
        const event = someEvent<'user.created'>(mine.accountId)
        const { createUser } = repository.scim
        expect(await createUser(mine.accountId, other, givenNames(userName), event)).toBe('created')
        expect(await repository.scim.findUser(theirs.accountId, user.id)).toBeUndefined()
        await repository.users.delete(mine.accountId, other.id, null, () =>
          someEvent(mine.accountId),
        )
      }),
    ),
  replaceUser: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user, userName }) => {
      const { email, roles, metadata } = user
      const changes = { email, name: 'Mallory', roles, metadata, updatedAt: start }
      const event = someEvent<'user.updated'>(mine.accountId)
      const { replaceUser } = repository.scim
      const names = givenNames('mallory')
      const outcome = replaceUser(mine.accountId, user.id, changes, null, event, names)
      expect(await outcome).toBe('user_not_found')
      const kept = await repository.scim.findUser(theirs.accountId, user.id)
      expect(kept).toMatchObject({ version: 1, names: { userName } })
    }),
  takeOverUser: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user, userName }) => {
      const { email, roles, metadata } = user
      const changes = { email, name: 'Mallory', roles, metadata, updatedAt: start }
      const event = someEvent<'user.updated'>(mine.accountId)
      const names = givenNames('mallory')
      const noEvents = {
        factorsRemoved: () => someEvent<'two_factor.removed'>(mine.accountId),
        passkeyRemoved: () => someEvent<'passkey.removed'>(mine.accountId),
        unlinked: () => someEvent<'identity.unlinked'>(mine.accountId),
        userTokensRevoked: () => someEvent<'user_token.revoked'>(mine.accountId),
      }
      const { takeOverUser } = repository.scim
      expect(
        await takeOverUser(mine.accountId, user.id, changes, null, event, names, noEvents),
      ).toBe('user_not_found')
      const kept = await repository.scim.findUser(theirs.accountId, user.id)
      expect(kept).toMatchObject({ version: 1, names: { userName } })
    }),
  findStanding: async (repository, mine, theirs) => {
    const user = newUser()
    await repository.users.create(theirs.accountId, user, someEvent(theirs.accountId))
    expect(await repository.scim.findStanding(mine.accountId, user.id)).toBeUndefined()
    expect(await repository.scim.findStanding(theirs.accountId, user.id)).toBe('unproven')
    await repository.users.delete(theirs.accountId, user.id, null, () =>
      someEvent(theirs.accountId),
    )
  },
  hadAddress: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user }) => {
      const { hadAddress, replaceUser } = repository.scim
      const { email, name, roles, metadata } = user
      const changes = { email, name, roles, metadata, updatedAt: start }
      const event = someEvent<'user.updated'>(theirs.accountId)
      // An address as user name is kept among the former ones.
      const names = givenNames(`name-${email}`)
      await replaceUser(theirs.accountId, user.id, changes, null, event, names)
      expect(await hadAddress(mine.accountId, user.id, names.userName)).toBe(false)
      expect(await hadAddress(theirs.accountId, user.id, names.userName)).toBe(true)
    }),
  findUser: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user }) => {
      expect(await repository.scim.findUser(mine.accountId, user.id)).toBeUndefined()
    }),
  findNames: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user }) => {
      expect(await repository.scim.findNames(mine.accountId, [user.id])).toEqual(new Map())
      expect((await repository.scim.findNames(theirs.accountId, [user.id])).size).toBe(1)
    }),
  findInRange: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user, userName }) => {
      const values = { id: user.id, email: user.email, userName, externalId: 'external' } as const
      for (const by of ['id', 'email', 'userName', 'externalId'] as const) {
        const range = { by, from: values[by], to: values[by] }
        expect(await repository.scim.findInRange(mine.accountId, range, 10)).toEqual([])
        expect(await repository.scim.findInRange(theirs.accountId, range, 10)).toHaveLength(1)
      }
      const named = { by: 'name', from: '', to: '\u{10FFFF}' } as const
      const found = await repository.scim.findInRange(mine.accountId, named, 1_000)
      expect(found.map((each) => each.user.id)).not.toContain(user.id)
    }),
  walk: (repository, mine, theirs) =>
    withNamed(repository, theirs, async ({ user }) => {
      const lowest = '00000000-0000-0000-0000-000000000000'
      const walked = await repository.scim.walk(mine.accountId, lowest, 1_000)
      expect(walked.map((each) => each.user.id)).not.toContain(user.id)
    }),
  countGroups: (repository, mine, theirs) =>
    withGroup(repository, theirs, async () => {
      expect(await repository.scim.countGroups(mine.accountId)).toBe(0)
      expect(await repository.scim.countGroups(theirs.accountId)).toBe(1)
    }),
  createGroup: (repository, mine, theirs) =>
    withGroup(repository, theirs, async ({ role }) => {
      const group = newGroup(role)
      const { createGroup, deleteGroup, findGroup } = repository.scim
      const event = someEvent<'group.created'>(mine.accountId)
      expect(await createGroup(mine.accountId, group, 10, event)).toBe('created')
      expect(await findGroup(theirs.accountId, group.id)).toBeUndefined()
      await deleteGroup(mine.accountId, group.id, 1, someEvent(mine.accountId))
    }),
  findGroup: (repository, mine, theirs) =>
    withGroup(repository, theirs, async ({ id }) => {
      expect(await repository.scim.findGroup(mine.accountId, id)).toBeUndefined()
    }),
  findGroupsOf: (repository, mine, theirs) =>
    withGroup(repository, theirs, async ({ role }) => {
      expect(await repository.scim.findGroupsOf(mine.accountId, [role])).toEqual([])
      expect(await repository.scim.findGroupsOf(theirs.accountId, [role])).toHaveLength(1)
    }),
  leaseGroups: async ({ scim }, mine, theirs) => {
    expect(await scim.leaseGroups(theirs.accountId, 'theirs')).toBe('leased')
    expect(await scim.leaseGroups(mine.accountId, 'mine')).toBe('leased')
    expect(await scim.leaseGroups(mine.accountId, 'another')).toBe('held')
    await scim.releaseGroups(mine.accountId, 'mine')
    await scim.releaseGroups(theirs.accountId, 'theirs')
  },
  findGroupLease: (repository, mine, theirs) =>
    withLease(repository, theirs, async ({ findGroupLease }) => {
      expect(await findGroupLease(mine.accountId)).toBeUndefined()
    }),
  takeOverGroups: (repository, mine, theirs) =>
    withLease(repository, theirs, async ({ takeOverGroups }) => {
      const lease = { holder: 'theirs', renewals: 0 }
      expect(await takeOverGroups(mine.accountId, lease, 'mine')).toBe(false)
    }),
  renewGroups: (repository, mine, theirs) =>
    withLease(repository, theirs, async ({ renewGroups }) => {
      expect(await renewGroups(mine.accountId, 'theirs')).toBe(false)
    }),
  releaseGroups: (repository, mine, theirs) =>
    withLease(repository, theirs, ({ releaseGroups }) => releaseGroups(mine.accountId, 'theirs')),
  listGroups: (repository, mine, theirs) =>
    withGroup(repository, theirs, async () => {
      expect(await repository.scim.listGroups(mine.accountId)).toEqual([])
    }),
  updateGroup: (repository, mine, theirs) =>
    withGroup(repository, theirs, async (group) => {
      const { updateGroup, findGroup } = repository.scim
      const changes = { ...renamed, updatedAt: start }
      const event = someEvent<'group.updated'>(mine.accountId)
      const outcome = updateGroup(mine.accountId, group.id, changes, 1, event)
      expect(await outcome).toBe('scim_group_not_found')
      expect(await findGroup(theirs.accountId, group.id)).toEqual(group)
    }),
  findRenamedFrom: (repository, mine, theirs) =>
    withRenamed(repository, theirs, async ({ id }) => {
      const { findRenamedFrom } = repository.scim
      expect(await findRenamedFrom(mine.accountId, 'admin')).toBeUndefined()
      expect(await findRenamedFrom(theirs.accountId, 'admin')).toMatchObject({ id })
    }),
  noteFormer: (repository, mine, theirs) =>
    withRenamed(repository, theirs, async ({ id }) => {
      const { noteFormer, findGroup } = repository.scim
      await noteFormer(mine.accountId, id, 2, mine.user.id)
      expect(await findGroup(theirs.accountId, id)).toMatchObject({ formerAfter: null })
      await noteFormer(theirs.accountId, id, 2, theirs.user.id)
      expect(await findGroup(theirs.accountId, id)).toMatchObject({ formerAfter: theirs.user.id })
    }),
  forgetFormerRole: (repository, mine, theirs) =>
    withRenamed(repository, theirs, async ({ id }) => {
      const { forgetFormerRole, findGroup } = repository.scim
      await forgetFormerRole(mine.accountId, id, 2)
      expect(await findGroup(theirs.accountId, id)).toMatchObject(renamed)
      await forgetFormerRole(theirs.accountId, id, 2)
      expect(await findGroup(theirs.accountId, id)).toMatchObject({ formerRole: null, version: 2 })
    }),
  deleteGroup: (repository, mine, theirs) =>
    withGroup(repository, theirs, async (group) => {
      const event = someEvent<'group.deleted'>(mine.accountId)
      expect(await repository.scim.deleteGroup(mine.accountId, group.id, 1, event)).toBe(false)
      expect(await repository.scim.findGroup(theirs.accountId, group.id)).toEqual(group)
    }),
  listMembers: async (repository, mine, theirs) => {
    const [role = ''] = JSON.parse(theirs.user.roles)
    const members = await repository.scim.listMembers(mine.accountId, role, 1_000)
    expect(members.map(({ id }) => id)).not.toContain(theirs.user.id)
  },
  hasMoreMembers: async (repository, mine, theirs) => {
    const [role = ''] = JSON.parse(theirs.user.roles)
    const { scim } = repository
    const members = await scim.listMembers(mine.accountId, role, 1_000)
    expect(await scim.hasMoreMembers(mine.accountId, role, members.length)).toBe(false)
    expect(await scim.hasMoreMembers(theirs.accountId, role, 0)).toBe(true)
  },
  findCandidates: async (repository, mine, theirs) => {
    const ids = [theirs.user.id]
    expect(await repository.scim.findCandidates(mine.accountId, 'admin', ids)).toEqual([])
    expect(await repository.scim.findCandidates(theirs.accountId, 'admin', ids)).toHaveLength(1)
  },
} satisfies IsolationCases<'scim'>
