import { operator } from '../base/call/call.ts'
import { defaultPolicy } from '../capabilities/accounts/account-policy.ts'
import { rememberDevice } from '../capabilities/devices/remember-device.ts'
import { findUser } from '../capabilities/users/find-user.ts'
import type { Services } from '../clientele/create-services.ts'

/** Remembers a device without a second factor, for routes that name one. Returns its id. */
export async function addDevice(
  services: Services,
  accountId: string,
  userId: string,
): Promise<string> {
  const { repository, newRequestId, clock } = services
  const call = { accountId, actor: operator, requestId: newRequestId(), clientAddress: undefined }
  const { user } = await findUser(services, call, userId)
  const found = await repository.users.findCredentials(accountId, user.email)
  const policy = { ...defaultPolicy, rememberDeviceDays: 1 }
  const passwordHash = found?.passwordHash ?? null
  await rememberDevice(services, call, user, 'Laptop', policy, { passwordHash })
  const [device] = await repository.devices.list(accountId, userId, clock())
  if (device === undefined) throw new Error('The device was not remembered.')
  return device.id
}
