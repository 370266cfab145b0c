import type { z } from 'zod'
import type { Account, newAccountSchema } from './account.ts'
import type { AccountsServices } from './services.ts'

export async function createAccount(
  services: AccountsServices,
  input: z.output<typeof newAccountSchema>,
): Promise<Account> {
  const { repository, newId, clock } = services
  const id = newId()
  const createdAt = clock()
  await repository.accounts.create(id, input, createdAt)
  return { id, ...input, createdAt: new Date(createdAt), disabledAt: null, passkeys: null }
}
