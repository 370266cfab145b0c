import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { givenRefreshTokenSchema } from '../../base/input/opaque-tokens.ts'
import type { DeviceRecord } from './store.ts'

/** A device on which a user signs in without a second factor. */
export interface Device {
  id: string
  /** What the application called it; null: nothing */
  name: string | null
  createdAt: Date
  lastUsedAt: Date
  /** When the second factor is asked for again */
  expiresAt: Date
}

/** The token of a device, which each use replaces */
export interface DeviceToken {
  deviceToken: string
  /** Seconds */
  deviceExpiresIn: number
}

/** How many devices of a user are remembered; the one that was used longest ago goes. */
export const maxDevices = 20

/** A device token as a caller sends it: any other text is as none. */
export const givenDeviceTokenSchema = givenRefreshTokenSchema.describe(
  'The token of a remembered device, which needs no second factor',
)
export const rememberShape = {
  rememberDevice: z
    .boolean()
    .optional()
    .describe("Remembers the device, if the account's policy allows it: `device_token`"),
  deviceName: labelSchema
    .meta({ description: 'What the user calls the device', examples: ['Laptop'] })
    .optional(),
}

/** The public form of a stored device. */
export function toDevice({ id, name, createdAt, lastUsedAt, expiresAt }: DeviceRecord): Device {
  return {
    id,
    name,
    createdAt: new Date(createdAt),
    lastUsedAt: new Date(lastUsedAt),
    expiresAt: new Date(expiresAt),
  }
}
