import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { type PasskeyRecord, type PasskeyUse, passkeyUses } from './store.ts'

/** A user's passkey, without its key. */
export interface Passkey {
  id: string
  /** What the user calls it */
  name: string
  /** Whether it signs in by itself, or stands beside the password */
  use: PasskeyUse
  createdAt: Date
  /** When it last signed the user in; null: never */
  lastUsedAt: Date | null
  /** Whether a copy is kept elsewhere, as the authenticator said when it was last used */
  backedUp: boolean
  /** How the browser reaches it: `internal`, `hybrid`, `usb`, … */
  transports: string[]
}

/** So many passkeys a user has at most. */
export const maxPasskeys = 20

export const passkeyUseSchema = z.enum(passkeyUses)
export const passkeyNameSchema = labelSchema.meta({ examples: ["Ada's phone"] })
export const renamePasskeySchema = z
  .strictObject({ name: passkeyNameSchema })
  .meta({ id: 'RenamePasskey' })

export function toPasskey(record: PasskeyRecord): Passkey {
  const { id, name, use, createdAt, lastUsedAt, backedUp, transports } = record
  return {
    id,
    name,
    use,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    backedUp,
    transports,
  }
}
