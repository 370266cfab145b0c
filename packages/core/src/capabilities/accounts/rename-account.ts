import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { Account, renameAccountSchema } from './account.ts'
import type { AccountsServices } from './services.ts'

/** @throws ClienteleError `account_not_found` */
export async function renameAccount(
  services: AccountsServices,
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
