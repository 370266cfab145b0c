import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { DevicesServices } from './services.ts'

/**
 * Forgets one device of a user: the next sign-in on it needs the second factor.
 *
 * @throws ClienteleError `device_not_found`
 */
export async function removeDevice(
  services: DevicesServices,
  call: Call,
  userId: string,
  deviceId: string,
): Promise<void> {
  const { repository, events } = services
  const data = { deviceIds: [deviceId], reason: 'requested' as const }
  const event = newEvent(services, call, 'device.removed', userId, data)
  if (!(await repository.devices.delete(call.accountId, userId, deviceId, event)))
    throw new ClienteleError('device_not_found')
  events.emit(event)
}

/**
 * Forgets every device of a user.
 *
 * @throws ClienteleError `user_not_found`
 */
export async function removeDevices(
  services: DevicesServices,
  call: Call,
  userId: string,
): Promise<void> {
  const event = await services.repository.devices.deleteAll(call.accountId, userId, (deviceIds) =>
    newEvent(services, call, 'device.removed', userId, { deviceIds, reason: 'requested' }),
  )
  if (event === undefined) await findUser(services, call, userId)
  else services.events.emit(event)
}
