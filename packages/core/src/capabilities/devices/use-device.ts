import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { deriveSuccessor, isMacValid, readRotatingToken } from '../../base/crypto/rotating-token.ts'
import type { AccountPolicy } from '../accounts/account-policy.ts'
import { newEvent } from '../events/new-event.ts'
import type { DeviceToken } from './device.ts'
import { endOf } from './remember-device.ts'
import type { DevicesServices } from './services.ts'

/**
 * Uses up the token of a device, after the user has shown the password. A token that was used before has been copied: the
 * device ends, whoever holds the copy. Any other text is as no token.
 *
 * @returns the next token; undefined: the second factor is asked for
 */
export async function useDevice(
  services: DevicesServices,
  call: Call,
  userId: string,
  text: string,
  policy: AccountPolicy,
): Promise<DeviceToken | undefined> {
  const { repository, clock } = services
  const { accountId } = call
  const token = readRotatingToken(text)
  if (token === undefined || policy.rememberDeviceDays === 0) return undefined
  const { ownerId: deviceId } = token
  const device = await repository.devices.find(accountId, userId, deviceId)
  if (device === undefined || !isMacValid(token, device.successorSeed)) return undefined
  const usedAt = clock()
  const endsAt = endOf(device, policy)
  if (endsAt <= usedAt) return undefined
  const deviceToken = deriveSuccessor(token, device.successorSeed)
  const hash = hashOpaqueToken(text)
  const successor = { hash: hashOpaqueToken(deviceToken), usedAt }
  const isUsed =
    hash === device.tokenHash &&
    (await repository.devices.rotate(accountId, userId, deviceId, hash, successor))
  if (isUsed) return { deviceToken, deviceExpiresIn: Math.floor((endsAt - usedAt) / 1000) }
  await endCopied(services, call, userId, deviceId)
  return undefined
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
