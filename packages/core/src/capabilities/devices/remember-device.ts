import { byUser, type Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { createRotatingToken } from '../../base/crypto/rotating-token.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { AccountPolicy } from '../accounts/account-policy.ts'
import { newEvent } from '../events/new-event.ts'
import type { DeviceToken } from './device.ts'
import type { DevicesServices } from './services.ts'
import type { DeviceConditions } from './store.ts'

const dayMs = 86_400_000

/**
 * Remembers a device on which the user has just proved a second factor, and is signed in already. Returns undefined if the
 * account's policy remembers none, the user has changed meanwhile, or the database fails.
 */
export async function rememberDevice(
  services: DevicesServices,
  call: Call,
  user: StoredUser,
  name: string | undefined,
  { rememberDeviceDays }: AccountPolicy,
  conditions: DeviceConditions,
): Promise<DeviceToken | undefined> {
  if (rememberDeviceDays === 0) return undefined
  const { repository, events, logger, clock } = services
  const id = services.newId()
  const successorSeed = createOpaqueToken()
  const deviceToken = createRotatingToken(id, successorSeed)
  const createdAt = clock()
  const expiresAt = createdAt + rememberDeviceDays * dayMs
  const device = {
    ...{ id, userId: user.id, name: name ?? null, createdAt, expiresAt },
    ...{ successorSeed, tokenHash: hashOpaqueToken(deviceToken) },
  }
  const about = byUser(call, user.id)
  const event = newEvent(services, about, 'device.remembered', user.id, { deviceId: id })
  const surplusEventOf = (deviceIds: string[]) =>
    newEvent(services, about, 'device.removed', user.id, { deviceIds, reason: 'surplus' })
  const { create } = repository.devices
  let created: Awaited<ReturnType<typeof create>>
  try {
    created = await create(call.accountId, device, conditions, event, surplusEventOf)
  } catch (error) {
    const { accountId, requestId } = call
    const details = { accountId, userId: user.id, requestId, error }
    logger.warn(
      details,
      'A device could not be remembered: its next sign-in needs the second factor.',
    )
    return undefined
  }
  if (created === undefined) return undefined
  events.emit(event)
  if (created.surplus !== undefined) events.emit(created.surplus)
  return { deviceToken, deviceExpiresIn: Math.floor((expiresAt - createdAt) / 1000) }
}

/** When a device is asked for the second factor again: the policy may have become narrower since it was remembered. */
export function endOf(
  { createdAt, expiresAt }: { createdAt: number; expiresAt: number },
  { rememberDeviceDays }: AccountPolicy,
): number {
  return Math.min(expiresAt, createdAt + rememberDeviceDays * dayMs)
}
