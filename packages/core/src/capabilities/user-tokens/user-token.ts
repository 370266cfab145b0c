import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { scopeSchema } from '../../base/input/scope-text.ts'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { UserTokenRecord } from './store.ts'

/** A token that belongs to a user, without its text, which is shown once and never stored. */
export interface UserToken {
  id: string
  name: string
  /** The application's own words */
  scopes: string[]
  /** The beginning of the token, by which people tell tokens apart */
  prefix: string
  createdAt: Date
  /** Null: it does not expire */
  expiresAt: Date | null
  /** Updated at most once a minute; null: never used */
  lastUsedAt: Date | null
}

/** A new token, with its text */
export interface CreatedUserToken extends UserToken {
  /** `cut_live_…`: shown only this time */
  token: string
}

/** A token in the form of ours, whose checksum is wrong */
export const exampleUserToken =
  'cut_live_00wjsJp8Zf3kBdAcYt0QOx2k9fQzM1nV7bC5xL3jH8gF6dS4aP2oI0uY9tR7eW5qT1m'

/** How many live tokens a user may have */
export const maxUserTokens = 50
const maxScopes = 50
const shortestSeconds = 60
const longestSeconds = 366 * 24 * 3600

const nameSchema = labelSchema.meta({
  description: 'What the user calls it',
  examples: ['Deploy script'],
})
export const scopesSchema = z
  .array(scopeSchema)
  .max(maxScopes)
  .meta({ examples: [['deploy']] })

export const newUserTokenShape = {
  name: nameSchema,
  scopes: scopesSchema
    .overwrite((list) => [...new Set(list)])
    .default([])
    .describe("The application's own words, which its guards ask for"),
  expiresIn: z
    .int()
    .min(shortestSeconds)
    .max(longestSeconds)
    .meta({ format: 'int32', examples: [7_776_000] })
    .nullable()
    .default(null)
    .describe('Seconds, up to 366 days; null: it does not expire'),
}
export const newUserTokenSchema = z.strictObject(newUserTokenShape)
export type NewUserToken = z.input<typeof newUserTokenSchema>

export const renameUserTokenSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'RenameUserToken' })

/** Whether a token has expired. One that expires, and was made while the clock was ahead, is over when that is right again. */
export function isUserTokenOver(
  { createdAt, expiresAt }: Pick<UserTokenRecord, 'createdAt' | 'expiresAt'>,
  now: number,
): boolean {
  return expiresAt !== null && (expiresAt <= now || createdAt > now + maxSetBackMs)
}

/** The public form of a stored token. */
export function toUserToken(record: Omit<UserTokenRecord, 'revokedAt'>): UserToken {
  const { id, name, scopes, prefix, createdAt, expiresAt, lastUsedAt } = record
  return {
    ...{ id, name, scopes, prefix },
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  }
}
