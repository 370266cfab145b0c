import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { type PasskeyRecord, type PasskeyUse, passkeyUses } from './store.ts'

/** A user's passkey, without its public key. */
export interface Passkey {
  id: string
  /** The user's name for it */
  name: string
  /** Whether it signs in on its own or in addition to the password */
  use: PasskeyUse
  createdAt: Date
  /** When it was last used to sign in; null: never */
  lastUsedAt: Date | null
  /** Whether it is backed up, as the authenticator reported at its last use */
  backedUp: boolean
  /** How the browser reaches the authenticator: `internal`, `hybrid`, `usb`, … */
  transports: string[]
}

/** The maximum number of passkeys of a user. */
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
