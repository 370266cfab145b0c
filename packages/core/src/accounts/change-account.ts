import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Account, renameAccountSchema } from './account.ts'

/** Users that go at once: so few that nobody who asks for something else meanwhile waits long. */
const deletedAtOnce = 250

/** @throws ClienteleError `account_not_found` */
export async function findAccount({ repository }: Services, accountId: string): Promise<Account> {
  const account = await repository.accounts.find(accountId)
  if (account === undefined) throw new ClienteleError('account_not_found')
  return account
}

/** @throws ClienteleError `account_not_found` */
export async function renameAccount(
  services: Services,
  accountId: string,
  { name }: z.output<typeof renameAccountSchema>,
): Promise<Account> {
  const isFound = await services.repository.accounts.rename(accountId, name)
  if (!isFound) throw new ClienteleError('account_not_found')
  const account = await findAccount(services, accountId)
  services.events.emit('account.updated', { accountId, account })
  return account
}

/**
 * Refuses an account's API keys and its users' tokens from now on, in every process, or accepts them again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function setAccountDisabled(
  services: Services,
  accountId: string,
  isDisabled: boolean,
): Promise<Account> {
  const { repository, events, clock } = services
  const hasChanged = await repository.accounts.setDisabled(accountId, isDisabled ? clock() : null)
  const account = await findAccount(services, accountId)
  const name = isDisabled ? 'account.disabled' : 'account.enabled'
  if (hasChanged) events.emit(name, { accountId, account })
  return account
}

/**
 * Deletes an account with its users, keys and everything else of it. Its keys and tokens end first, and its users go
 * a few at a time; where that is interrupted the account stays disabled, and can be deleted again.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function deleteAccount(services: Services, accountId: string): Promise<void> {
  await setAccountDisabled(services, accountId, true)
  const { repository } = services
  while ((await repository.users.deleteFirst(accountId, deletedAtOnce)) === deletedAtOnce) {
    await setImmediate()
  }
  await repository.accounts.delete(accountId)
}
