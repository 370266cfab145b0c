import type { ImportBatch, IssuerRecord, Repository } from '@clientele/core'
import { expect } from 'vitest'
import { changesTo, newKey, newSession, newUser, nextId, start, type Tenant } from './world.ts'

/**
 * What a method does when `mine` calls it with what belongs to `theirs`. Afterwards everything of `theirs` must be as
 * it was. A method that belongs to no account says why.
 */
export type IsolationCase =
  | ((repository: Repository, mine: Tenant, theirs: Tenant) => Promise<void>)
  | { belongsToNoAccount: string }

/** A method of the port without a case here does not compile. */
export const isolationCases: Record<keyof Repository, IsolationCase> = {
  createAccount: async (repository, _mine, theirs) => {
    const again = repository.createAccount(
      theirs.accountId,
      { name: 'Taken', allowedRoles: ['x'] },
      start,
    )
    await expect(again).rejects.toThrow()
  },
  createFirstAccount: async (repository, _mine, theirs) => {
    const account = { name: 'Taken', allowedRoles: ['x'] }
    expect(await repository.createFirstAccount(theirs.accountId, account, start, newKey())).toBe(
      false,
    )
  },
  findAccount: async (repository, mine) => {
    expect((await repository.findAccount(mine.accountId))?.id).toBe(mine.accountId)
  },
  listAccounts: { belongsToNoAccount: 'the operator of the service lists every account' },
  createApiKey: async (repository, mine, theirs) => {
    // Ids are unique within an account only: this one is another key.
    const key = newKey({ id: theirs.key.id })
    expect(await repository.createApiKey(mine.accountId, key)).toBe('created')
    expect((await repository.findApiKey(key.hash, start))?.account.id).toBe(mine.accountId)
  },
  listApiKeys: async (repository, mine) => {
    const keys = await repository.listApiKeys(mine.accountId)
    expect(keys.map((key) => key.id)).toEqual([mine.key.id])
  },
  rotateApiKey: async (repository, mine, theirs) => {
    const next = newKey()
    const rotated = await repository.rotateApiKey(mine.accountId, theirs.key.id, next, start)
    expect(rotated).toBeUndefined()
    expect(await repository.findApiKey(next.hash, start)).toBeUndefined()
  },
  revokeApiKey: async (repository, mine, theirs) => {
    expect(await repository.revokeApiKey(mine.accountId, theirs.key.id, start)).toBe(false)
  },
  noteApiKeyUse: async (repository, mine, theirs) => {
    await repository.noteApiKeyUse(mine.accountId, theirs.key.id, start)
  },
  findApiKey: async (repository, mine, theirs) => {
    const subject = { userId: theirs.user.id, sessionId: theirs.session.id }
    const found = await repository.findApiKey(mine.key.hash, start, subject)
    expect(found?.account.id).toBe(mine.accountId)
    expect(found?.subject).toBeUndefined()
    const mixed = { userId: mine.user.id, sessionId: theirs.session.id }
    const other = await repository.findApiKey(mine.key.hash, start, mixed)
    expect(other?.subject).toMatchObject({ hasLiveSession: false })
  },
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
    expect(byEmail).toEqual({ users: [], total: 0 })
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
  createSession: async (repository, mine, theirs) => {
    const session = newSession(theirs.user.id, { id: nextId() })
    expect(await repository.createSession(mine.accountId, session, 'hash-1')).toBe(false)
  },
  listSessions: async (repository, mine, theirs) => {
    expect(await repository.listSessions(mine.accountId, theirs.user.id, start)).toEqual([])
  },
  findRefreshToken: async (repository, mine, theirs) => {
    const { refreshTokenHash } = theirs.session
    expect(await repository.findRefreshToken(mine.accountId, refreshTokenHash)).toBeUndefined()
  },
  rotateRefreshToken: async (repository, mine, theirs) => {
    const { id: sessionId, refreshTokenHash } = theirs.session
    const rotation = { sessionId, successorHash: 'thief', usedAt: start, expiresAt: start + 1 }
    const rotated = repository.rotateRefreshToken(mine.accountId, refreshTokenHash, rotation)
    expect(await rotated).toBe(false)
  },
  deleteSession: async (repository, mine, theirs) => {
    const { session, user } = theirs
    expect(await repository.deleteSession(mine.accountId, user.id, session.id)).toBe(false)
  },
  deleteSessions: async (repository, mine, theirs) => {
    expect(await repository.deleteSessions(mine.accountId, theirs.user.id)).toEqual([])
  },
  findSecondFactor: async (repository, mine, theirs) => {
    await repository.enrolTotp(theirs.accountId, theirs.user.id, 'sealed')
    expect(await repository.findSecondFactor(mine.accountId, theirs.user.id)).toBeUndefined()
  },
  enrolTotp: async (repository, mine, theirs) => {
    const enrolled = repository.enrolTotp(mine.accountId, theirs.user.id, 'sealed')
    expect(await enrolled).toBe('user_not_found')
  },
  confirmTotp: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    const confirmed = repository.confirmTotp(mine.accountId, user.id, 'sealed', 1, start, ['x'])
    expect(await confirmed).toBe(false)
    expect(await repository.findSecondFactor(accountId, user.id)).toMatchObject(unconfirmed)
  },
  useTotpStep: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    await repository.confirmTotp(accountId, user.id, 'sealed', 1, start, [])
    expect(await repository.useTotpStep(mine.accountId, user.id, 5)).toBe(false)
    expect(await repository.useTotpStep(accountId, user.id, 5)).toBe(true)
  },
  enableEmailFactor: async (repository, mine, theirs) => {
    const outcome = await repository.enableEmailFactor(mine.accountId, theirs.user.id)
    expect(outcome).toBe('user_not_found')
  },
  replaceRecoveryCodes: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    expect(await repository.replaceRecoveryCodes(mine.accountId, user.id, ['x'])).toBe(false)
    expect(await repository.findSecondFactor(accountId, user.id)).toMatchObject({
      recoveryCodesLeft: 0,
    })
  },
  useRecoveryCode: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    await repository.replaceRecoveryCodes(accountId, user.id, ['x'])
    expect(await repository.useRecoveryCode(mine.accountId, user.id, 'x')).toBe(false)
    expect(await repository.useRecoveryCode(accountId, user.id, 'x')).toBe(true)
  },
  removeSecondFactors: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    expect(await repository.removeSecondFactors(mine.accountId, user.id)).toBe(false)
    expect(await repository.findSecondFactor(accountId, user.id)).toBeDefined()
  },
  createChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    expect(await repository.createChallenge(mine.accountId, challenge, start)).toBe(false)
  },
  findChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    const { hash } = challenge
    expect(await repository.findChallenge(mine.accountId, hash, start)).toBeUndefined()
    expect(await repository.findChallenge(theirs.accountId, hash, start)).toBe(theirs.user.id)
  },
  tryChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    expect(await repository.tryChallenge(mine.accountId, challenge.hash, start)).toBeUndefined()
  },
  mailChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    const mailed = repository.mailChallenge(mine.accountId, challenge.hash, 'thief', start)
    expect(await mailed).toBeUndefined()
  },
  endChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    expect(await repository.endChallenge(mine.accountId, challenge.hash)).toBe(false)
    expect(await repository.endChallenge(theirs.accountId, challenge.hash)).toBe(true)
  },
  createMailedToken: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    expect(await repository.createMailedToken(mine.accountId, token, start)).toBe(false)
  },
  findMailedToken: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.createMailedToken(theirs.accountId, token, start)
    const found = repository.findMailedToken(mine.accountId, token.hash, token.purpose, start)
    expect(await found).toBeUndefined()
  },
  resetPassword: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.createMailedToken(theirs.accountId, token, start)
    const reset = repository.resetPassword(mine.accountId, token.hash, 'thief', start)
    expect(await reset).toBeUndefined()
  },
  verifyEmail: async (repository, mine, theirs) => {
    const token = { ...newMailedToken(theirs.user), purpose: 'email_verification' as const }
    await repository.createMailedToken(theirs.accountId, token, start)
    expect(await repository.verifyEmail(mine.accountId, token.hash, start)).toBeUndefined()
    expect(await repository.findEmailVerifiedAt(theirs.accountId, theirs.user.id)).toBeUndefined()
  },
  findEmailVerifiedAt: async (repository, mine, theirs) => {
    const token = { ...newMailedToken(theirs.user), purpose: 'email_verification' as const }
    await repository.createMailedToken(theirs.accountId, token, start)
    await repository.verifyEmail(theirs.accountId, token.hash, start)
    expect(await repository.findEmailVerifiedAt(mine.accountId, theirs.user.id)).toBeUndefined()
    expect(await repository.findEmailVerifiedAt(theirs.accountId, theirs.user.id)).toBe(start)
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
    const twin = newUser({ email: theirs.user.email })
    expect(await repository.importUsers(mine.accountId, newBatch([twin]))).toEqual([])
    expect((await repository.findUser(mine.accountId, twin.id))?.user.email).toBe(twin.email)
  },
  findTakenEmails: async (repository, mine, theirs) => {
    expect(await repository.findTakenEmails(mine.accountId, [theirs.user.email])).toEqual([])
  },
  exportUsers: async (repository, mine) => {
    const exported = await repository.exportUsers(mine.accountId, null, 100)
    expect(exported.map(({ user }) => user.id)).toEqual([mine.user.id])
  },
  addGuesses: async (repository, mine, theirs) => {
    await repository.addGuesses(theirs.accountId, 'login:x', 3, start, start + 1000)
    const count = await repository.addGuesses(mine.accountId, 'login:x', 1, start, start + 1000)
    expect(count.points).toBe(1)
    expect((await repository.findGuesses(theirs.accountId, 'login:x', start))?.points).toBe(3)
  },
  findGuesses: async (repository, mine, theirs) => {
    await repository.addGuesses(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.findGuesses(mine.accountId, 'login:x', start)).toBeUndefined()
  },
  clearGuesses: async (repository, mine, theirs) => {
    await repository.addGuesses(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.clearGuesses(mine.accountId, 'login:x')).toBe(false)
    expect((await repository.findGuesses(theirs.accountId, 'login:x', start))?.points).toBe(3)
  },
  listSigningKeys: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  addFirstSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  rotateSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  retireSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  removeSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  raiseTokenLife: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  removeDeadSigningKeys: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  resealSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  createIssuer: async (repository, mine) => {
    expect(await repository.createIssuer(mine.accountId, newIssuer())).toBe('created')
  },
  listIssuers: async (repository, mine, theirs) => {
    await repository.createIssuer(theirs.accountId, newIssuer())
    expect(await repository.listIssuers(mine.accountId)).toEqual([])
  },
  updateIssuer: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.createIssuer(theirs.accountId, issuer)
    const changed = { ...issuer, audience: 'thief' }
    const outcome = await repository.updateIssuer(mine.accountId, changed, issuer.updatedAt)
    expect(outcome).toBe('issuer_changed')
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
  deleteIssuer: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.createIssuer(theirs.accountId, issuer)
    expect(await repository.deleteIssuer(mine.accountId, issuer.id)).toBeUndefined()
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
  listSealedTotpSecrets: {
    belongsToNoAccount: 'the process that holds the secrets encrypts those of every account again',
  },
  resealTotpSecrets: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    const secret = { userId: user.id, sealed: 'sealed', resealed: 'thief' }
    await repository.resealTotpSecrets([{ ...secret, accountId: mine.accountId }])
    expect(await repository.findSecondFactor(accountId, user.id)).toMatchObject(unconfirmed)
  },
  listSealedIssuerSecrets: {
    belongsToNoAccount: 'the operator changes the secret that those of every account are under',
  },
  resealIssuerSecret: async (repository, mine, theirs) => {
    const issuer = { ...newIssuer(), publicKeys: null, sealedSecret: 'sealed' }
    await repository.createIssuer(theirs.accountId, issuer)
    await repository.resealIssuerSecret(mine.accountId, issuer.id, 'sealed', 'thief')
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
  migrate: { belongsToNoAccount: 'it changes the schema' },
  ping: { belongsToNoAccount: 'it reads no table' },
  close: { belongsToNoAccount: 'it lets go of the connections' },
  localSecret: { belongsToNoAccount: 'it belongs to the whole database' },
}

function newIssuer(): IssuerRecord {
  return {
    id: nextId(),
    issuer: 'https://login.example.com',
    audience: 'api',
    algorithms: ['ES256'],
    userClaim: 'sub',
    sealedSecret: null,
    publicKeys: [{ kty: 'EC' }],
    jwksUrl: null,
    createdAt: start,
    updatedAt: start,
  }
}

const importProgress = { records: 1, imported: 1, skipped: 0 }

function newBatch(users: ReturnType<typeof newUser>[]): ImportBatch {
  const progress = { source: 'file', after: () => importProgress }
  return { users, importedAt: start, progress, isAllOrNothing: false }
}

const unconfirmed = { sealedTotpSecret: 'sealed', isTotpConfirmed: false }

function newChallenge(userId: string) {
  const hash = nextId()
  return { hash, userId, passwordHash: 'hash-1', tries: 5, mails: 3, expiresAt: start + 1000 }
}

function newMailedToken({ id, email }: { id: string; email: string }) {
  const purpose = 'password_reset' as const
  return { hash: nextId(), userId: id, purpose, email, expiresAt: start + 1000 }
}
