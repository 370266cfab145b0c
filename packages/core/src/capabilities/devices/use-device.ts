import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { deriveSuccessor, isMacValid, readRotatingToken } from '../../base/crypto/rotating-token.ts'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { AccountPolicy } from '../accounts/account-policy.ts'
import { newEvent } from '../events/new-event.ts'
import type { DeviceToken } from './device.ts'
import { endOf } from './remember-device.ts'
import type { DevicesServices } from './services.ts'

/**
 * Uses up the token of a device, after the user has shown the password. A token that was used before has been copied: the
 * device ends, whoever holds the copy. Any other text is as no token.
 *
 * @param approve is called with a right token before it is used up: when it throws, the token may be used again
 * @returns the next token, and what was approved; undefined: the second factor is asked for
 */
export async function useDevice<Approved>(
  services: DevicesServices,
  call: Call,
  userId: string,
  text: string,
  policy: AccountPolicy,
  approve: () => Promise<Approved>,
): Promise<{ device: DeviceToken; approved: Approved } | undefined> {
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
  const deviceToken = deriveSuccessor(token, device.successorSeed)
  const hash = hashOpaqueToken(text)
  const successor = { hash: hashOpaqueToken(deviceToken), usedAt }
  if (hash === device.tokenHash) {
    const approved = await approve()
    if (await repository.devices.rotate(accountId, userId, deviceId, hash, successor)) {
      const deviceExpiresIn = Math.floor((endsAt - usedAt) / 1000)
      return { device: { deviceToken, deviceExpiresIn }, approved }
    }
  }
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
