import { ClienteleError } from '../../base/errors.ts'
import type { TokensServices } from './services.ts'

/**
 * Refuses a token that names an account which does not exist, before anything is looked up in it: another statement for each
 * made-up id would take the connections of others.
 *
 * @throws ClienteleError `token_unknown_key`
 */
export async function assertNamedAccount(
  { repository }: TokensServices,
  accountId: string,
): Promise<void> {
  if (!(await repository.accounts.isKnown(accountId))) throw new ClienteleError('token_unknown_key')
}
