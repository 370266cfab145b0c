import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { UsersServices } from './services.ts'

/**
 * Up to when a user's tokens of other issuers are revoked. A time that was stored while the clock was wrong is corrected to
 * now: what was issued before stays revoked, and what is issued from now on is accepted.
 *
 * @param stored in milliseconds since the epoch, as the result
 */
export async function readTokensNotBefore(
  {
    repository,
    clock,
  }: Pick<UsersServices, 'clock'> & {
    repository: Pick<UsersServices['repository'], 'users'>
  },
  accountId: string,
  userId: string,
  stored: number,
): Promise<number> {
  const now = clock()
  if (stored <= now + maxSetBackMs) return stored
  await repository.users.correctTokensNotBefore(accountId, userId, now)
  return now
}
