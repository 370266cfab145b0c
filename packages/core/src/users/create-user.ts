import { findAccountRules } from '../accounts/find-account.ts'
import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { VersionedUser } from './client-user.ts'
import { type CheckedCreate, checkAccountRules, profileOf } from './user-input.ts'

/** @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`, `overloaded` */
export async function createUser(
  services: Services,
  call: Call,
  input: CheckedCreate,
): Promise<VersionedUser> {
  const { repository, passwords, passwordPolicy, events, newId, clock } = services
  const { password, is_active } = input
  const profile = profileOf(input)
  await checkAccountRules(await findAccountRules(services, call), passwordPolicy, input)
  const passwordHash = await passwords.hash(call.accountId, password)
  const createdAt = clock()
  const id = newId()
  const outcome = await repository.users.create(call.accountId, {
    ...profile,
    id,
    passwordHash,
    isActive: is_active,
    createdAt,
  })
  if (outcome !== 'created') throw new ClienteleError(outcome)
  const time = new Date(createdAt).toISOString()
  const { name, email, roles, metadata } = profile
  const user = {
    id,
    email,
    name,
    roles,
    metadata,
    is_active,
    created_at: time,
    updated_at: time,
  }
  events.emit('user.created', { ...originOf(call), user })
  return { user, version: 1 }
}
