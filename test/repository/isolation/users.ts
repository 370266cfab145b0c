import type { ImportBatch } from '@clientele/core'
import { expect } from 'vitest'
import { changesTo, newImportedUser, newUser, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const userIsolation = {
  createUser: async (repository, mine, theirs) => {
    const user = newUser({ id: theirs.user.id, email: theirs.user.email })
    expect(await repository.createUser(mine.accountId, user)).toBe('created')
  },
  findUser: async (repository, mine, theirs) => {
    expect(await repository.findUser(mine.accountId, theirs.user.id)).toBeUndefined()
  },
  findCredentials: async (repository, mine, theirs) => {
    expect(await repository.findCredentials(mine.accountId, theirs.user.email)).toBeUndefined()
  },
  findSubject: async (repository, mine, theirs) => {
    const subject = { userId: theirs.user.id, sessionId: theirs.session.id }
    expect(await repository.findSubject(mine.accountId, start, subject)).toBeUndefined()
    const mixed = { userId: mine.user.id, sessionId: theirs.session.id }
    const found = await repository.findSubject(mine.accountId, start, mixed)
    expect(found).toMatchObject({ hasLiveSession: false })
  },
  findSubjectByEmail: async (repository, mine, theirs) => {
    expect(await repository.findSubjectByEmail(mine.accountId, theirs.user.email)).toBeUndefined()
  },
  listUsers: async (repository, mine, theirs) => {
    const page = { page: 1, limit: 100 }
    const { users, total } = await repository.listUsers(mine.accountId, page)
    expect(users.map(({ user }) => user.id)).toEqual([mine.user.id])
    expect(total).toBe(1)
    const byEmail = await repository.listUsers(mine.accountId, {
      ...page,
      email: theirs.user.email,
    })
    expect(byEmail).toEqual({ users: [], total: 0, hasMore: false })
    for (const filter of [{ q: 'ada' }, { role: 'admin' }, { is_active: true }]) {
      expect((await repository.listUsers(mine.accountId, { ...page, ...filter })).total).toBe(1)
    }
  },
  recountUsers: async (repository, mine) => {
    expect(await repository.recountUsers(mine.accountId)).toBe(1)
  },
  replaceUser: async (repository, mine, theirs) => {
    const changes = changesTo(mine.user, { roles: ['thief'], passwordHash: 'thief' })
    const outcome = await repository.replaceUser(mine.accountId, theirs.user.id, changes, null)
    expect(outcome).toBe('user_not_found')
  },
  setUserActive: async (repository, mine, theirs) => {
    for (const isActive of [false, true]) {
      const found = await repository.setUserActive(
        mine.accountId,
        theirs.user.id,
        isActive,
        start + 1,
      )
      expect(found).toBeUndefined()
    }
  },
  deleteUser: async (repository, mine, theirs) => {
    const outcome = await repository.deleteUser(mine.accountId, theirs.user.id, null)
    expect(outcome).toBe('user_not_found')
  },
  rehashPassword: async (repository, mine, theirs) => {
    await repository.rehashPassword(mine.accountId, theirs.user.id, 'hash-1', 'hash-2')
  },
  findImport: async (repository, mine, theirs) => {
    await repository.importUsers(theirs.accountId, newBatch([]))
    expect(await repository.findImport(theirs.accountId, 'file')).toEqual(importProgress)
    expect(await repository.findImport(mine.accountId, 'file')).toBeUndefined()
  },
  endImport: async (repository, mine, theirs) => {
    await repository.importUsers(theirs.accountId, newBatch([]))
    await repository.endImport(mine.accountId, 'file')
    expect(await repository.findImport(theirs.accountId, 'file')).toEqual(importProgress)
  },
  importUsers: async (repository, mine, theirs) => {
    const { id, email } = theirs.user
    for (const updatesKnown of [false, true]) {
      const twin = newImportedUser({ id, email, roles: ['thief'], emailVerified: true })
      const batch = { ...newBatch([twin]), updatesKnown }
      const outcome = await repository.importUsers(mine.accountId, batch)
      expect(outcome).toMatchObject({ conflicts: [], updated: 0 })
      expect((await repository.findUser(mine.accountId, id))?.user.email).toBe(email)
      await repository.deleteUser(mine.accountId, id, null)
    }
  },
  findTaken: async (repository, mine, theirs) => {
    const names = { emails: [theirs.user.email], ids: [theirs.user.id] }
    expect(await repository.findTaken(mine.accountId, names)).toEqual([])
  },
  exportUsers: async (repository, mine) => {
    const exported = await repository.exportUsers(mine.accountId, null, 100)
    expect(exported.map(({ user }) => user.id)).toEqual([mine.user.id])
  },
} satisfies IsolationCases

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
  return { users, importedAt: start, progress, updatesKnown: false, isAllOrNothing: false }
}
