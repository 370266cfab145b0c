import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { newSession, nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

function newPasskey(userId: string) {
  return {
    id: nextId(),
    userId,
    credentialId: nextId(),
    publicKey: 'key',
    counter: 1,
    rpId: 'example.com',
    name: 'Phone',
    use: 'first_factor' as const,
    transports: ['internal'],
    isSynced: false,
    backedUp: false,
    createdAt: start,
  }
}

/** Enrols a new passkey of a user. */
export async function enrolPasskey(repository: Repository, accountId: string, userId: string) {
  const passkey = newPasskey(userId)
  const write = {
    maximum: 20,
    tokensNotBefore: start,
    session: undefined,
    event: someEvent<'passkey.enrolled'>(accountId),
  }
  expect(await repository.passkeys.enrol(accountId, passkey, write)).toBe('enrolled')
  return passkey
}

const settings = {
  rpId: 'example.com',
  rpName: 'Acme',
  origins: ['https://example.com'],
  requireToken: false,
}
const ceremonyOf = (userId: string | null) => ({
  hash: nextId(),
  purpose: 'log_in' as const,
  userId,
  encryptedEmail: null,
  isByUser: false,
  sessionId: null,
  expiresAt: start + 1000,
})

export const passkeysIsolation = {
  configure: async (repository, mine, theirs) => {
    const configure = (accountId: string, rpId: string) =>
      repository.passkeys.configure(accountId, { ...settings, rpId }, false, () =>
        someEvent(accountId),
      )
    expect(await configure(mine.accountId, 'example.com')).toBeDefined()
    await enrolPasskey(repository, theirs.accountId, theirs.user.id)
    // Theirs are no reason to keep mine as it is.
    expect(await configure(mine.accountId, 'example.org')).not.toBe('passkeys_enrolled')
    expect((await repository.accounts.find(theirs.accountId))?.passkeys).toBeNull()
  },
  list: async (repository, mine, theirs) => {
    const { id } = await enrolPasskey(repository, theirs.accountId, theirs.user.id)
    expect(await repository.passkeys.list(mine.accountId, theirs.user.id)).toEqual([])
    expect(await repository.passkeys.list(theirs.accountId, theirs.user.id)).toMatchObject([{ id }])
  },
  listByEmail: async (repository, mine, theirs) => {
    const { rpId } = await enrolPasskey(repository, theirs.accountId, theirs.user.id)
    const list = (accountId: string) =>
      repository.passkeys.listByEmail(accountId, theirs.user.email, rpId)
    expect(await list(mine.accountId)).toEqual([])
    expect(await list(theirs.accountId)).toEqual([expect.any(String)])
  },
  findByCredential: async (repository, mine, theirs) => {
    const { credentialId } = await enrolPasskey(repository, theirs.accountId, theirs.user.id)
    const find = (accountId: string) =>
      repository.passkeys.findByCredential(accountId, credentialId)
    expect(await find(mine.accountId)).toBeUndefined()
    expect(await find(theirs.accountId)).toMatchObject({ user: { id: theirs.user.id } })
  },
  enrol: async (repository, mine, theirs) => {
    const passkey = await enrolPasskey(repository, theirs.accountId, theirs.user.id)
    const enrol = (userId: string, session?: { id: string; now: number }) => {
      const write = {
        maximum: 20,
        tokensNotBefore: start,
        session,
        event: someEvent<'passkey.enrolled'>(mine.accountId),
      }
      const again = { ...passkey, id: nextId(), userId }
      return repository.passkeys.enrol(mine.accountId, again, write)
    }
    expect(await enrol(theirs.user.id)).toBe('user_not_found')
    // Their session is none of my user's.
    const session = newSession(theirs.user.id)
    const { passwordHash } = theirs.user
    const opened = someEvent<'user.logged_in'>(theirs.accountId)
    await repository.sessions.create(theirs.accountId, session, passwordHash, opened)
    expect(await enrol(mine.user.id, { id: session.id, now: start })).toBe('challenge_invalid')
    // The same credential belongs to another user here.
    expect(await enrol(mine.user.id)).toBe('enrolled')
  },
  rename: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await enrolPasskey(repository, accountId, user.id)
    const event = someEvent<'passkey.renamed'>(mine.accountId)
    const { passkeys } = repository
    expect(await passkeys.rename(mine.accountId, user.id, id, 'Mine', event)).toBeUndefined()
    expect(await passkeys.list(accountId, user.id)).toMatchObject([{ name: 'Phone' }])
  },
  remove: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await enrolPasskey(repository, accountId, user.id)
    const remove = (account: string) =>
      repository.passkeys.remove(account, user.id, id, someEvent(account))
    expect(await remove(mine.accountId)).toBe(false)
    expect(await remove(accountId)).toBe(true)
  },
  noteUse: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await enrolPasskey(repository, accountId, user.id)
    const use = { counter: 2, backedUp: true, at: start }
    expect(await repository.passkeys.noteUse(mine.accountId, id, use)).toBe(false)
    expect(await repository.passkeys.list(accountId, user.id)).toMatchObject([{ counter: 1 }])
  },
  createCeremony: async (repository, mine, theirs) => {
    const create = (userId: string | null) =>
      repository.passkeys.createCeremony(mine.accountId, ceremonyOf(userId))
    expect(await create(theirs.user.id)).toBe(false)
    expect(await create(null)).toBe(true)
  },
  takeCeremony: async (repository, mine, theirs) => {
    const ceremony = ceremonyOf(theirs.user.id)
    await repository.passkeys.createCeremony(theirs.accountId, ceremony)
    const take = (accountId: string) =>
      repository.passkeys.takeCeremony(accountId, ceremony.hash, ['log_in'], start)
    expect(await take(mine.accountId)).toBeUndefined()
    expect(await take(theirs.accountId)).toMatchObject({ userId: theirs.user.id })
  },
} satisfies IsolationCases<'passkeys'>
