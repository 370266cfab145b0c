import { z } from 'zod'
import { defaultScopes, type Scope, scopes } from '../../base/call/scope.ts'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { dateSchema } from '../../base/input/instant.ts'

/** An API key without its secret, which is shown once and never stored. */
export interface ApiKey {
  id: string
  name: string
  scopes: Scope[]
  /** The beginning of the secret, by which people tell keys apart. */
  prefix: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** Updated at most once a minute. */
  lastUsedAt: Date | null
}

export const newApiKeySchema = z.strictObject({
  name: labelSchema.default('default'),
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .overwrite((list) => [...new Set(list)])
    .default([...defaultScopes]),
  expiresAt: dateSchema.nullable().default(null),
})
export type NewApiKey = z.input<typeof newApiKeySchema>

export const rotateApiKeySchema = z.strictObject({
  /** How long the replaced key stays valid, in seconds; at most 90 days */
  overlapSeconds: z
    .int()
    .min(0)
    .max(90 * 24 * 3600)
    .default(24 * 3600),
  /** When the new key expires; null: never. @default after the lifetime of the replaced key */
  expiresAt: dateSchema.nullable().optional(),
})
export type RotateApiKey = z.input<typeof rotateApiKeySchema>
