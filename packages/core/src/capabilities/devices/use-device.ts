import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { deriveSuccessor, isMacValid, readRotatingToken } from '../../base/crypto/rotating-token.ts'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { AccountPolicy } from '../accounts/account-policy.ts'
import { newEvent } from '../events/new-event.ts'
import type { ShownDevice } from '../sessions/store.ts'
import type { DeviceToken } from './device.ts'
import { endOf } from './remember-device.ts'
import type { DevicesServices } from './services.ts'

/**
 * Reads the token of a device, after the user has shown the password. A token that was used before has been copied: the
 * device ends, whoever holds the copy. Any other text is as no token.
 *
 * @returns what the session is opened by, which uses the token up, and the next token; undefined: the second factor is asked
 *   for
 */
export async function useDevice(
  services: DevicesServices,
  call: Call,
  userId: string,
  text: string,
  policy: AccountPolicy,
): Promise<{ shown: ShownDevice; next: DeviceToken } | undefined> {
  const { repository, clock } = services
  const { accountId } = call
  const token = readRotatingToken(text)
  if (token === undefined || policy.rememberDeviceDays === 0) return undefined
  const { ownerId: deviceId } = token
  const device = await repository.devices.find(accountId, userId, deviceId)
  if (device === undefined || !isMacValid(token, device.successorSeed)) return undefined
  const usedAt = clock()
  const endsAt = endOf(device, policy)
  // Or it is remembered since a time when the clock was ahead.
  if (endsAt <= usedAt || device.createdAt > usedAt + maxSetBackMs) return undefined
  const tokenHash = hashOpaqueToken(text)
  if (tokenHash !== device.tokenHash) {
    await endCopied(services, call, userId, deviceId)
    return undefined
  }
  const deviceToken = deriveSuccessor(token, device.successorSeed)
  const deviceExpiresIn = Math.floor((endsAt - usedAt) / 1000)
  const shown = { deviceId, tokenHash, nextHash: hashOpaqueToken(deviceToken), usedAt }
  return { shown, next: { deviceToken, deviceExpiresIn } }
}

async function endCopied(
  services: DevicesServices,
  call: Call,
  userId: string,
  deviceId: string,
): Promise<void> {
  const { repository, events } = services
  const data = { deviceIds: [deviceId], reason: 'token_reused' as const }
  const event = newEvent(services, byUser(call, userId), 'device.removed', userId, data)
  if (await repository.devices.delete(call.accountId, userId, deviceId, event)) events.emit(event)
}
