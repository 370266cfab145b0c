import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Account, renameAccountSchema } from './account.ts'
import { findAccount } from './find-account.ts'

/** Users that go at once: so few that nobody who asks for something else meanwhile waits long. */
const deletedAtOnce = 250

/** @throws ClienteleError `account_not_found` */
export async function renameAccount(
  services: Services,
  call: Call,
  { name }: z.output<typeof renameAccountSchema>,
): Promise<Account> {
  const isFound = await services.repository.accounts.rename(call.accountId, name)
  if (!isFound) throw new ClienteleError('account_not_found')
  const account = await findAccount(services, call)
  services.events.emit('account.updated', { ...originOf(call), account })
  return account
}

/**
 * Refuses an account's API keys and its users' tokens from now on, in every process, or accepts them again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function setAccountDisabled(
  services: Services,
  call: Call,
  isDisabled: boolean,
): Promise<Account> {
  const { repository, events, clock } = services
  const disabledAt = isDisabled ? clock() : null
  const hasChanged = await repository.accounts.setDisabled(call.accountId, disabledAt)
  const account = await findAccount(services, call)
  const name = isDisabled ? 'account.disabled' : 'account.enabled'
  if (hasChanged) events.emit(name, { ...originOf(call), account })
  return account
}

/**
 * Deletes an account with its users, keys and everything else of it. Its keys and tokens end first, and its users go
 * a few at a time; where that is interrupted the account stays disabled, and can be deleted again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function deleteAccount(services: Services, call: Call): Promise<void> {
  await setAccountDisabled(services, call, true)
  const { repository } = services
  const { accountId } = call
  while ((await repository.users.deleteFirst(accountId, deletedAtOnce)) === deletedAtOnce) {
    await setImmediate()
  }
  await repository.accounts.delete(accountId)
}
