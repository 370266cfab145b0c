import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent, someProof } from '../../support/some-event.ts'
import { type NewUser, newUser, nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { newIssuer } from './issuers.ts'

const write = (accountId: string) => ({
  maximum: 20,
  event: someEvent<'identity.linked'>(accountId),
})

/** Links a new identity to a user. */
export async function linkIdentity(repository: Repository, accountId: string, userId: string) {
  const identity = { ...newIdentity(userId), createdAt: start }
  expect(await repository.identities.link(accountId, identity, write(accountId))).toBe('linked')
  return identity
}

/** Has an account trust the issuer of `newIdentity`, and returns what an ID token of it is used for. */
async function trustIssuer(repository: Repository, accountId: string) {
  const issuer = { ...newIssuer(), signIn: true, linkByEmail: true }
  await repository.trustedIssuers.create(accountId, issuer, someEvent(accountId))
  return {
    issuerId: issuer.id,
    issuerUpdatedAt: issuer.updatedAt,
    linksByEmail: true,
    isVerified: true,
  }
}

function newIdentity(userId: string) {
  return { id: nextId(), userId, issuer: 'https://login.example.com', subject: nextId() }
}

export const identitiesIsolation = {
  list: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await linkIdentity(repository, accountId, user.id)
    expect(await repository.identities.list(mine.accountId, user.id)).toEqual([])
    expect(await repository.identities.list(accountId, user.id)).toMatchObject([{ id }])
  },
  link: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const identity = await linkIdentity(repository, accountId, user.id)
    const link = (userId: string) =>
      repository.identities.link(
        mine.accountId,
        { ...identity, id: nextId(), userId },
        write(mine.accountId),
      )
    expect(await link(user.id)).toBe('user_not_found')
    // The same identity belongs to another user here.
    expect(await link(mine.user.id)).toBe('linked')
    expect(await repository.identities.list(accountId, user.id)).toMatchObject([
      { id: identity.id },
    ])
  },
  unlink: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await linkIdentity(repository, accountId, user.id)
    const unlink = (account: string) =>
      repository.identities.unlink(account, user.id, id, () => someEvent(account))
    expect(await unlink(mine.accountId)).toBeUndefined()
    expect(await unlink(accountId)).toBeDefined()
  },
  findCredentials: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id, issuer, subject } = await linkIdentity(repository, accountId, user.id)
    const find = (account: string) =>
      repository.identities.findCredentials(account, issuer, subject)
    expect(await find(mine.accountId)).toBeUndefined()
    expect(await find(accountId)).toMatchObject({ identityId: id, user: { id: user.id } })
  },
  linkByEmail: async (repository, mine, theirs) => {
    const { user } = theirs
    const identity = { ...newIdentity(user.id), createdAt: start }
    const trust = await trustIssuer(repository, mine.accountId)
    const link = {
      identity,
      email: user.email,
      trust,
      maximum: 20,
      tokensNotBefore: user.createdAt,
    }
    const event = () => someEvent<never>(mine.accountId)
    const events = { ...someProof(mine.accountId), linked: event }
    const linked = repository.identities.linkByEmail(mine.accountId, link, events)
    expect(await linked).toBe('user_not_found')
    const { accountId } = theirs
    expect(await repository.emailTokens.findVerifiedAt(accountId, user.id)).toBeUndefined()
    expect(await repository.identities.list(accountId, user.id)).toEqual([])
  },
  createUser: async (repository, mine, theirs) => {
    const { accountId } = mine
    const { id, issuer, subject } = await linkIdentity(repository, theirs.accountId, theirs.user.id)
    const trust = await trustIssuer(repository, accountId)
    const theirTrust = await trustIssuer(repository, theirs.accountId)
    const create = (user: NewUser, given = trust) =>
      repository.identities.createUser(accountId, {
        user,
        identity: { id: nextId(), userId: user.id, issuer, subject, createdAt: start },
        trust: given,
        events: [someEvent(accountId), someEvent(accountId)],
      })
    expect(await create(newUser(), theirTrust)).toBe('issuer_not_trusted')
    // The same e-mail and the same identity are another's here.
    expect(await create(newUser({ email: theirs.user.email }))).toBe('created')
    expect(await create(newUser())).toBe('identity_taken')
    expect(await create(newUser({ email: mine.user.email }))).toBe('email_taken')
    expect(
      await repository.users.findSubjectByIdentity(theirs.accountId, issuer, subject),
    ).toBeDefined()
    expect(await repository.identities.list(theirs.accountId, theirs.user.id)).toMatchObject([
      { id },
    ])
  },
  noteUse: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await linkIdentity(repository, accountId, user.id)
    await repository.identities.noteUse(mine.accountId, id, start)
    expect(await repository.identities.list(accountId, user.id)).toMatchObject([
      { lastUsedAt: null },
    ])
  },
} satisfies IsolationCases<'identities'>

export const signInIsolation = {
  findByEmail: async (repository, mine, theirs) => {
    const policy = { signIn: ['passkey' as const] }
    const event = () => someEvent<'account.updated'>(mine.accountId)
    await repository.accounts.update(mine.accountId, { policy }, event)
    const { email } = theirs.user
    const read = await repository.signIn.findByEmail(mine.accountId, email)
    expect(read).toMatchObject({ policy: { rules: policy }, found: undefined })
    expect(await repository.signIn.findByEmail(theirs.accountId, email)).toMatchObject({
      policy: { text: null },
      found: { user: { id: theirs.user.id }, isEmailVerified: false },
    })
  },
  findByIdentity: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id, issuer, subject } = await linkIdentity(repository, accountId, user.id)
    const find = (ofAccount: string) => repository.signIn.findByIdentity(ofAccount, issuer, subject)
    expect(await find(mine.accountId)).toMatchObject({ isAccountDisabled: false, found: undefined })
    expect(await find(accountId)).toMatchObject({
      found: { identityId: id, user: { id: user.id } },
    })
  },
  useIdToken: async (repository, mine, theirs) => {
    const use = (accountId: string) => repository.signIn.useIdToken(accountId, 'digest', start + 1)
    expect(await use(mine.accountId)).toBe(true)
    expect(await use(theirs.accountId)).toBe(true)
    expect(await use(theirs.accountId)).toBe(false)
  },
} satisfies IsolationCases<'signIn'>
