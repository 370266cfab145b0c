import { parseArgument } from '../../base/input/input.ts'
import { emailSchema } from '../../user-model/email-address.ts'
import type { AccountsOfEmail } from './account.ts'
import type { AccountsServices } from './services.ts'

const maxAccounts = 100

/** @throws ClienteleError `validation_failed` */
export async function listForEmail(
  { repository }: AccountsServices,
  email: string,
): Promise<AccountsOfEmail> {
  const normalized = parseArgument('email', emailSchema, email)
  const found = await repository.accounts.listOfEmail(normalized, maxAccounts + 1)
  return { accounts: found.slice(0, maxAccounts), hasMore: found.length > maxAccounts }
}
