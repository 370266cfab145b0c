import { z } from 'zod'
import { createLabelSchema, withoutControls } from '../input/bounded-text.ts'
import { idSchema } from '../input/id.ts'
import { codePoints, countCodePoints } from '../input/input.ts'
import { isPlainObject, type JsonObject } from '../input/json.ts'
import { emailSchema } from './email-address.ts'

/** An end user that belongs to one account, exactly as callers see it. */
export interface ClientUser {
  /** UUIDv7 (RFC 9562) */
  id: string
  email: string
  name: string
  roles: string[]
  metadata: JsonObject
  isActive: boolean
  createdAt: Date
  updatedAt: Date
}

/** A user with its version, which is what its ETag is made of: 1 at creation, one more at each change. */
export interface UserResult {
  user: ClientUser
  version: number
}

/** Of a user, what a caller gives it and changes as it likes. */
export type Profile = Pick<ClientUser, 'name' | 'email' | 'roles' | 'metadata'>

export const maxRoles = 50
export const maxMetadataEntries = 5
export const maxMetadataBytes = 8 * 1024

export const nameSchema = createLabelSchema(2, 50).meta({
  minLength: 2,
  maxLength: 50,
  examples: ['Ada Lovelace'],
})

export const rolesSchema = z
  .array(withoutControls(codePoints(z.string(), 1, 100)).meta({ minLength: 1, maxLength: 100 }))
  .overwrite((roles) => [...new Set(roles)])
  .max(maxRoles)
  .meta({ examples: [['admin', 'billing']] })

function isMetadataKey(key: string): boolean {
  return key !== '' && key.length <= 2 * 64 && countCodePoints(key) <= 64
}

export const metadataSchema = z
  // The values are JSON already: parseInput has looked at every one of them.
  .custom<JsonObject>(isPlainObject, {
    message: 'must be an object',
    params: { code: 'type' },
    abort: true,
  })
  .check((context) => {
    const report = (code: string, message: string, key?: string): void => {
      const path = key === undefined ? [] : [key]
      context.issues.push({
        code: 'custom',
        params: { code },
        message,
        path,
        input: context.value,
        continue: true,
      })
    }
    const keys = Object.keys(context.value)
    if (keys.length > maxMetadataEntries)
      report('too_many', `must have at most ${maxMetadataEntries} entries`)
    for (const key of keys) {
      if (!isMetadataKey(key)) report('name_length', 'must have a name of 1 to 64 characters', key)
    }
    if (Buffer.byteLength(JSON.stringify(context.value)) > maxMetadataBytes) {
      report('too_long', `must be at most ${maxMetadataBytes} bytes as JSON`)
    }
  })
  .meta({
    type: 'object',
    maxProperties: maxMetadataEntries,
    propertyNames: { minLength: 1, maxLength: 64 },
    additionalProperties: true,
    description: 'Any JSON values, at most 8 KiB as JSON.',
    examples: [{ plan: 'pro' }],
  })

/** The user in a response. It documents; what is sent is made by `renderUser`. */
export const clientUserSchema = z
  .object({
    id: idSchema.describe('UUIDv7, assigned by the service'),
    email: emailSchema.describe('Unique within the account; trimmed, NFC, lower case'),
    name: nameSchema,
    roles: rolesSchema,
    metadata: metadataSchema,
    is_active: z.boolean().meta({ examples: [true] }),
    created_at: z.iso.datetime().meta({ examples: ['2026-05-05T23:41:45.619Z'] }),
    updated_at: z.iso.datetime().meta({ examples: ['2026-05-05T23:41:45.619Z'] }),
  })
  .meta({ id: 'ClientUser', description: 'An end user that belongs to one account.' })
