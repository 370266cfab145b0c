import type { Call } from '../../base/call/call.ts'
import { findUser } from '../users/find-user.ts'
import { type Device, toDevice } from './device.ts'
import type { DevicesServices } from './services.ts'

/**
 * Lists the devices of a user that are remembered, oldest first.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function listDevices(
  services: DevicesServices,
  call: Call,
  userId: string,
): Promise<Device[]> {
  const { repository, clock } = services
  const devices = await repository.devices.list(call.accountId, userId, clock())
  if (devices.length === 0) await findUser(services, call, userId)
  return devices.map(toDevice)
}
