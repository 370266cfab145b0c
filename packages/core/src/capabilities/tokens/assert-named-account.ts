import { ClienteleError } from '../../base/errors.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { TokensServices } from './services.ts'

/** Ids of accounts that were found: each look-up says itself whether its account is still there. */
const known = new LateCache<true>(10_000)

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
  if (known.has(accountId)) return
  if (!(await repository.accounts.exists(accountId))) throw new ClienteleError('token_unknown_key')
  known.set(accountId, true)
}
