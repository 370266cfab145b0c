import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
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
  const { repository, events } = services
  const { accountId } = call
  let renamed: Account | undefined
  const event = await repository.accounts.rename(accountId, name, (account) => {
    renamed = account
    return newEvent(services, call, 'account.updated', accountId, { account })
  })
  if (event === undefined || renamed === undefined) throw new ClienteleError('account_not_found')
  events.emit(event)
  return renamed
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
  const { accountId } = call
  const disabledAt = isDisabled ? clock() : null
  const type = isDisabled ? 'account.disabled' : 'account.enabled'
  const event = await repository.accounts.setDisabled(accountId, disabledAt, (account) =>
    newEvent(services, call, type, accountId, { account }),
  )
  const account = await findAccount(services, call)
  if (event !== undefined) events.emit(event)
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
