import type { ImportBatch } from '@clientele/core'
import { expect } from 'vitest'
import type { PageRequest } from '../../../packages/core/src/capabilities/users/page.ts'
import type { UserPage } from '../../../packages/core/src/capabilities/users/store.ts'
import { someEvent } from '../../support/some-event.ts'
import { changesTo, hour, newImportedUser, newUser, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { linkIdentity } from './identities.ts'
import { makeUserToken } from './user-tokens.ts'

export const usersIsolation = {
  deleteFirst: async (repository, mine) => {
    expect(await repository.users.deleteFirst(mine.accountId, 100)).toBe(1)
  },
  create: async (repository, mine, theirs) => {
    const user = newUser({ id: theirs.user.id, email: theirs.user.email })
    expect(await repository.users.create(mine.accountId, user, someEvent(mine.accountId))).toBe(
      'created',
    )
  },
  find: async (repository, mine, theirs) => {
    expect(await repository.users.find(mine.accountId, theirs.user.id)).toBeUndefined()
  },
  findCredentials: async (repository, mine, theirs) => {
    expect(
      await repository.users.findCredentials(mine.accountId, theirs.user.email),
    ).toBeUndefined()
  },
  findSubject: async (repository, mine, theirs) => {
    const subject = { userId: theirs.user.id, sessionId: theirs.session.id }
    expect(await repository.users.findSubject(mine.accountId, start, subject)).toBeUndefined()
    const mixed = { userId: mine.user.id, sessionId: theirs.session.id }
    const found = await repository.users.findSubject(mine.accountId, start, mixed)
    expect(found).toMatchObject({ hasLiveSession: false })
    const id = await makeUserToken(repository, theirs)
    for (const by of ['hash', 'id'] as const) {
      const named = { by, userToken: id }
      expect(await repository.users.findSubject(mine.accountId, start, named)).toBeUndefined()
      const own = await repository.users.findSubject(theirs.accountId, start, named)
      expect(own).toMatchObject({ user: { id: theirs.user.id }, userToken: { id } })
    }
  },
  findSubjects: async (repository, mine, theirs) => {
    const subjects = [
      { userId: theirs.user.id, sessionId: theirs.session.id },
      { userId: mine.user.id, sessionId: theirs.session.id },
      { userId: mine.user.id, sessionId: mine.session.id },
      { by: 'hash' as const, userToken: await makeUserToken(repository, theirs) },
    ]
    expect(await repository.users.findSubjects(mine.accountId, start, subjects)).toMatchObject([
      undefined,
      { user: { id: mine.user.id }, hasLiveSession: false },
      { user: { id: mine.user.id }, hasLiveSession: true },
      undefined,
    ])
    expect(await repository.users.findSubjects(mine.accountId, start, [])).toEqual([])
  },
  hasOwnSession: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const id = nextId()
    const times = { createdAt: start, expiresAt: start + 900_000 }
    const session = {
      id,
      userId: user.id,
      version: 1,
      impersonatedBy: 'Support',
      openedByKey: null,
      ...times,
    }
    const event = someEvent<'user.impersonated'>(accountId)
    expect(await repository.impersonation.create(accountId, session, 20, event)).toBe('created')
    const { hasOwnSession } = repository.users
    expect(await hasOwnSession(accountId, user.id, theirs.session.id)).toBe(true)
    expect(await hasOwnSession(accountId, user.id, id)).toBe(false)
    expect(await hasOwnSession(mine.accountId, user.id, theirs.session.id)).toBe(false)
    expect(await hasOwnSession(accountId, mine.user.id, theirs.session.id)).toBe(false)
  },
  findSubjectByEmail: async (repository, mine, theirs) => {
    expect(
      await repository.users.findSubjectByEmail(mine.accountId, theirs.user.email),
    ).toBeUndefined()
  },
  findSubjectByIdentity: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { issuer, subject } = await linkIdentity(repository, accountId, user.id)
    const find = (account: string) =>
      repository.users.findSubjectByIdentity(account, issuer, subject)
    expect(await find(mine.accountId)).toBeUndefined()
    expect((await find(accountId))?.user.id).toBe(user.id)
  },
  list: ({ users }, mine, theirs) => tryList(users.list, mine, theirs),
  // Where the driver decodes all that it reads, there is no other list.
  listEncoded: ({ users }, mine, theirs) => tryList(users.listEncoded ?? users.list, mine, theirs),
  recount: async (repository, mine) => {
    expect(await repository.users.recount(mine.accountId)).toBe(1)
  },
  replace: async (repository, mine, theirs) => {
    const changes = changesTo(mine.user, { roles: ['thief'], passwordHash: 'thief' })
    const outcome = await repository.users.replace(
      mine.accountId,
      theirs.user.id,
      changes,
      null,
      someEvent(mine.accountId),
    )
    expect(outcome).toBe('user_not_found')
  },
  setActive: async (repository, mine, theirs) => {
    for (const isActive of [false, true]) {
      const found = await repository.users.setActive(
        mine.accountId,
        theirs.user.id,
        isActive,
        start + 1,
        someEvent(mine.accountId),
      )
      expect(found).toBeUndefined()
    }
  },
  delete: async (repository, mine, theirs) => {
    const outcome = await repository.users.delete(mine.accountId, theirs.user.id, null, () =>
      someEvent(mine.accountId),
    )
    expect(outcome).toBe('user_not_found')
  },
  rehashPassword: async (repository, mine, theirs) => {
    await repository.users.rehashPassword(mine.accountId, theirs.user.id, 'hash-1', 'hash-2')
  },
  correctTokensNotBefore: async (repository, mine, theirs) => {
    // Longer ago than the time that is stored
    await repository.users.correctTokensNotBefore(mine.accountId, theirs.user.id, start - 3 * hour)
  },
} satisfies IsolationCases<'users'>

export const importExportIsolation = {
  findProgress: async (repository, mine, theirs) => {
    await repository.importExport.importBatch(theirs.accountId, newBatch([]))
    expect(await repository.importExport.findProgress(theirs.accountId, 'file')).toEqual(
      importProgress,
    )
    expect(await repository.importExport.findProgress(mine.accountId, 'file')).toBeUndefined()
  },
  endImport: async (repository, mine, theirs) => {
    await repository.importExport.importBatch(theirs.accountId, newBatch([]))
    await repository.importExport.endImport(mine.accountId, 'file')
    expect(await repository.importExport.findProgress(theirs.accountId, 'file')).toEqual(
      importProgress,
    )
  },
  importBatch: async (repository, mine, theirs) => {
    const { id, email } = theirs.user
    for (const updatesKnown of [false, true]) {
      const twin = newImportedUser({ id, email, roles: ['thief'], emailVerified: true })
      const batch = { ...newBatch([twin]), updatesKnown }
      const outcome = await repository.importExport.importBatch(mine.accountId, batch)
      expect(outcome).toMatchObject({ conflicts: [], updated: 0 })
      expect((await repository.users.find(mine.accountId, id))?.user.email).toBe(email)
      await repository.users.delete(mine.accountId, id, null, () => someEvent(mine.accountId))
    }
  },
  findTaken: async (repository, mine, theirs) => {
    const names = { emails: [theirs.user.email], ids: [theirs.user.id] }
    expect(await repository.importExport.findTaken(mine.accountId, names)).toEqual([])
  },
  findWhole: async (repository, mine, theirs) => {
    const find = (accountId: string) =>
      repository.importExport.findWhole(accountId, [mine.user.id, theirs.user.id])
    expect((await find(mine.accountId)).map(({ id }) => id)).toEqual([mine.user.id])
  },
  exportBatch: async (repository, mine) => {
    const exported = await repository.importExport.exportBatch(mine.accountId, null, 100)
    expect(exported.map(({ user }) => user.id)).toEqual([mine.user.id])
  },
} satisfies IsolationCases<'importExport'>

const importProgress = {
  records: 1,
  imported: 1,
  updated: 0,
  skipped: 0,
  conflicts: 0,
  withoutPassword: 0,
}

function newBatch(users: ImportBatch['users']): ImportBatch {
  const progress = { source: 'file', after: () => importProgress }
  return {
    users,
    importedAt: start,
    progress,
    updatesKnown: false,
    isAllOrNothing: false,
    eventsOf: () => [someEvent('')],
  }
}

type List = (accountId: string, request: PageRequest) => Promise<UserPage<{ id: string }>>

async function tryList(list: List, mine: Tenant, theirs: Tenant): Promise<void> {
  const page = { page: 1, limit: 100 }
  const { users, total } = await list(mine.accountId, page)
  expect(users.map(({ user }) => user.id)).toEqual([mine.user.id])
  expect(total).toBe(1)
  const byEmail = await list(mine.accountId, { ...page, email: theirs.user.email })
  expect(byEmail).toEqual({ users: [], total: 0, hasMore: false })
  for (const filter of [{ q: 'ada' }, { role: 'admin' }, { isActive: true }]) {
    expect((await list(mine.accountId, { ...page, ...filter })).total).toBe(1)
  }
}
