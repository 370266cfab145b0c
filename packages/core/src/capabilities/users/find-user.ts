import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { UsersServices } from './services.ts'

/** @throws ClienteleError `user_not_found` */
export async function findUser(
  { repository }: UsersServices,
  { accountId }: Call,
  userId: string,
): Promise<VersionedUser> {
  const found = await repository.users.find(accountId, userId)
  if (found === undefined) throw new ClienteleError('user_not_found')
  return found
}
