import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import type { Device } from './device.ts'
import { listDevices } from './list-devices.ts'
import { removeDevice, removeDevices } from './remove-devices.ts'
import type { DevicesServices } from './services.ts'

/**
 * The devices on which a user signs in without a second factor. `auth.completeMfa` with `rememberDevice` makes one, if the
 * account's policy has `rememberDeviceDays`; `auth.logIn` takes its `deviceToken`.
 *
 * @example
 * const devices = await clientele.devices.list(accountId, userId)
 * for (const { id } of devices) await clientele.devices.remove(accountId, userId, id)
 */
export interface DevicesApi {
  /**
   * Lists a user's devices, oldest first.
   *
   * @throws ClienteleError `user_not_found`
   */
  list(call: CallInput, userId: string): Promise<Device[]>
  /**
   * Forgets one device of a user: the next sign-in on it needs the second factor. Sessions go on.
   *
   * @throws ClienteleError `device_not_found`
   */
  remove(call: CallInput, userId: string, deviceId: string): Promise<void>
  /**
   * Forgets every device of a user.
   *
   * @throws ClienteleError `user_not_found`
   */
  removeAll(call: CallInput, userId: string): Promise<void>
}

export function createDevicesApi(services: DevicesServices): { devices: DevicesApi } {
  return {
    devices: {
      list: async (call, userId) =>
        listDevices(services, readCall(services, call), readId({ userId })),
      remove: async (call, userId, deviceId) =>
        removeDevice(services, readCall(services, call), readId({ userId }), readId({ deviceId })),
      removeAll: async (call, userId) =>
        removeDevices(services, readCall(services, call), readId({ userId })),
    },
  }
}
