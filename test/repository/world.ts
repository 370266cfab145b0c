import { createHash, randomUUID } from 'node:crypto'
import type { ImportBatch, Repository } from '@clientele/core'
import { someEvent } from '../support/some-event.ts'

export type NewUser = Parameters<Repository['users']['create']>[1]
export type NewReply = NonNullable<Parameters<Repository['users']['create']>[3]>
export type Changes = Parameters<Repository['users']['replace']>[2]
export type Page = Parameters<Repository['users']['list']>[1]
export type ImportedUser = ImportBatch['users'][number]
export type NewKey = Parameters<Repository['apiKeys']['create']>[1]
export type NewSession = Parameters<Repository['sessions']['create']>[1]

/** A moment that every case starts from */
export const start = Date.parse('2026-05-05T12:00:00.000Z')
export const hour = 3_600_000

let count = 0

/** Ids in ascending order, as the service makes them. */
export function nextId(): string {
  count++
  return `019dfae2-6a4d-7000-8000-${count.toString(16).padStart(12, '0')}`
}

interface Parsed {
  roles?: string[]
  metadata?: object
}

/** A user as it is kept; roles and metadata may be given as they are before that. */
export function newUser({
  roles = ['admin', 'billing'],
  metadata = { plan: 'pro' },
  ...changes
}: Partial<Omit<NewUser, keyof Parsed>> & Parsed = {}): NewUser {
  return {
    id: nextId(),
    email: `${randomUUID()}@example.com`,
    name: 'Ada Lovelace',
    roles: JSON.stringify(roles),
    metadata: JSON.stringify(metadata),
    passwordHash: 'hash-1',
    isActive: true,
    createdAt: start,
    updatedAt: changes.createdAt ?? start,
    ...changes,
  }
}

/** A user as an import brings it, who names its id and says nothing that it need not. */
export function newImportedUser(changes: Partial<ImportedUser> = {}): ImportedUser {
  return {
    id: nextId(),
    namesId: true,
    email: `${randomUUID()}@example.com`,
    name: 'Ada Lovelace',
    roles: undefined,
    metadata: undefined,
    isActive: undefined,
    passwordHash: undefined,
    createdAt: undefined,
    updatedAt: undefined,
    emailVerified: undefined,
    ...changes,
  }
}

export function changesTo(
  user: NewUser,
  { roles, ...changes }: Partial<Omit<Changes, 'roles'>> & Pick<Parsed, 'roles'> = {},
): Changes {
  const { email, name, metadata } = user
  const next = roles === undefined ? user.roles : JSON.stringify(roles)
  return { email, name, roles: next, metadata, updatedAt: start + 1, ...changes }
}

export function newKey(changes: Partial<NewKey> = {}): NewKey {
  const id = nextId()
  return {
    id,
    name: 'default',
    scopes: ['users:read', 'users:write'],
    prefix: 'cu_live_abcdef…',
    hash: createHash('sha256').update(id).digest('base64url'),
    createdAt: start,
    expiresAt: null,
    ...changes,
  }
}

export function newSession(userId: string, changes: Partial<NewSession> = {}): NewSession {
  return {
    id: nextId(),
    userId,
    amr: ['pwd'],
    createdAt: start,
    expiresAt: start + hour,
    refreshTokenHash: randomUUID(),
    endsAt: start + 2 * hour,
    successorSeed: randomUUID(),
    ...changes,
  }
}

/** What a write needs to keep its answer */
export function newReply(changes: Partial<NewReply> = {}): NewReply {
  const operation = 'createUser'
  return {
    operation,
    key: 'key',
    digest: 'digest',
    now: start,
    expiresAt: start + hour,
    ...changes,
  }
}

type AccountValues = Parameters<Repository['accounts']['create']>[1]

export function accountValues(given: Partial<AccountValues> = {}): AccountValues {
  return { name: 'Acme', slug: null, externalId: null, metadata: {}, allowedRoles: null, ...given }
}

export async function newAccount(
  repository: Repository,
  given?: Partial<AccountValues>,
): Promise<string> {
  const id = nextId()
  const outcome = await repository.accounts.create(id, accountValues(given), start)
  if (outcome !== 'created') throw new Error(outcome)
  return id
}

/** An account with one of everything. */
export interface Tenant {
  accountId: string
  user: NewUser
  session: NewSession
  key: NewKey
}

export async function newTenant(repository: Repository): Promise<Tenant> {
  const accountId = await newAccount(repository)
  const user = newUser()
  const key = newKey()
  const session = newSession(user.id)
  await repository.users.create(accountId, user, someEvent(accountId))
  await repository.apiKeys.create(accountId, key, someEvent(accountId))
  await repository.sessions.create(accountId, session, user.passwordHash, someEvent(accountId))
  return { accountId, user, session, key }
}

/** All that the port tells of a tenant. */
export async function readTenant(repository: Repository, tenant: Tenant): Promise<unknown> {
  const { accountId, user, session, key } = tenant
  const subject = { userId: user.id, sessionId: session.id }
  return {
    account: await repository.accounts.find(accountId),
    keys: await repository.apiKeys.list(accountId),
    key: await repository.apiKeys.findByHash(key.hash, start, subject),
    users: await repository.users.list(accountId, { page: 1, limit: 100 }),
    credentials: await repository.users.findCredentials(accountId, user.email),
    subject: await repository.users.findSubject(accountId, start, subject),
    subjectByEmail: await repository.users.findSubjectByEmail(accountId, user.email),
  }
}
