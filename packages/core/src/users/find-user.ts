import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { VersionedUser } from './stored-user.ts'

/** @throws ClienteleError `user_not_found` */
export async function findUser(
  { repository }: Services,
  { accountId }: Call,
  userId: string,
): Promise<VersionedUser> {
  const found = await repository.users.find(accountId, userId)
  if (found === undefined) throw new ClienteleError('user_not_found')
  return found
}
