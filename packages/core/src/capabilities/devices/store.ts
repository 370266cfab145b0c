import type { NewEvent } from '../events/new-event.ts'
import type { ComparedFactors } from '../users/store.ts'

// Times are milliseconds since the epoch.

export interface DeviceRecord {
  id: string
  name: string | null
  createdAt: number
  lastUsedAt: number
  expiresAt: number
}

export interface NewDevice extends Omit<DeviceRecord, 'lastUsedAt'> {
  userId: string
  /** With a token, derives its successor */
  successorSeed: string
  tokenHash: string
}

/** What is compared with a token that a sign-in brings. */
export interface DeviceState extends DeviceRecord {
  successorSeed: string
  tokenHash: string
}

/** The user as the sign-in has read it: a device is remembered for no other. */
export interface DeviceConditions {
  passwordHash: string | null
  tokensNotBefore?: number | undefined
  /** The device stands for these factors. @default any */
  factors?: ComparedFactors | undefined
}

export interface DeviceStore {
  /**
   * Remembers a device, and ends those that the user has beyond the limit, with an event. Writes nothing if the user is gone
   * or inactive, or the user or the factors have changed, and then returns undefined.
   */
  create(
    accountId: string,
    device: NewDevice,
    conditions: DeviceConditions,
    event: NewEvent<'device.remembered'>,
    surplusEventOf: (deviceIds: string[]) => NewEvent<'device.removed'>,
  ): Promise<{ surplus: NewEvent<'device.removed'> | undefined } | undefined>
  /** Finds a device of a user, also one that has expired. */
  find(accountId: string, userId: string, deviceId: string): Promise<DeviceState | undefined>
  /** Lists the devices that have not expired, oldest first. */
  list(accountId: string, userId: string, now: number): Promise<DeviceRecord[]>
  /** Returns whether there was such a device. */
  delete(
    accountId: string,
    userId: string,
    deviceId: string,
    event: NewEvent<'device.removed'>,
  ): Promise<boolean>
  /** Deletes all devices of a user; undefined: there was none. */
  deleteAll(
    accountId: string,
    userId: string,
    eventOf: (deviceIds: string[]) => NewEvent<'device.removed'>,
  ): Promise<NewEvent<'device.removed'> | undefined>
}
