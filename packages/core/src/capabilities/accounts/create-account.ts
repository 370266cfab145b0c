import type { z } from 'zod'
import { ClienteleError } from '../../base/errors.ts'
import type { Account, newAccountSchema } from './account.ts'
import { defaultPolicy } from './account-policy.ts'
import type { AccountsServices } from './services.ts'

/** @throws ClienteleError `slug_taken`, `external_id_taken` */
export async function createAccount(
  services: AccountsServices,
  input: z.output<typeof newAccountSchema>,
): Promise<Account> {
  const { repository, newId, clock } = services
  const id = newId()
  const createdAt = clock()
  const outcome = await repository.accounts.create(id, input, createdAt)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  return toNewAccount(id, input, createdAt)
}

/** An account as it is stored. */
export function toNewAccount(
  id: string,
  input: z.output<typeof newAccountSchema>,
  createdAt: number,
): Account {
  const state = { disabledAt: null, passkeys: null, policy: defaultPolicy }
  return { id, ...input, createdAt: new Date(createdAt), ...state }
}
