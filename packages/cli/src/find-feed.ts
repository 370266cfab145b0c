import type { Clientele } from '@clientele/core'

/** The service's own feed, which belongs to no account */
const serviceFeedId = '00000000-0000-0000-0000-000000000000'

/**
 * An id that is not there is a mistake, not an account without events.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function findFeed(clientele: Clientele, accountId: string): Promise<void> {
  if (accountId !== serviceFeedId) await clientele.accounts.find(accountId)
}
