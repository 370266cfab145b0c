import { z } from 'zod'
import { withoutControls } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'
import type { IdentityRecord } from './store.ts'

/** An identity of a user at another issuer. */
export interface Identity {
  id: string
  /** `iss` of the issuer's tokens, compared character by character */
  issuer: string
  /** The issuer's id of the user, compared character by character */
  subject: string
  createdAt: Date
  /** When it was last used to sign in; null: never */
  lastUsedAt: Date | null
}

/** The maximum number of identities of a user. */
export const maxIdentities = 20

// A lone surrogate would not survive the way to the database.
const nameSchema = withoutControls(codePoints(z.string(), 1, 255)).refine(
  (text) => text.isWellFormed(),
  { params: { code: 'text_not_allowed' }, message: 'must be well-formed Unicode' },
)

/** The user's subject in a token's claim; undefined when it cannot be an identity. */
export function readSubject(claim: unknown): string | undefined {
  return nameSchema.safeParse(claim).data
}

export const linkIdentitySchema = z
  .strictObject({
    issuer: nameSchema.meta({
      description: '`iss` of its tokens, not normalised',
      examples: ['https://accounts.google.com'],
    }),
    subject: nameSchema.meta({
      description: 'The id of the user at the issuer, not normalised',
      examples: ['110169484474386276334'],
    }),
  })
  .meta({ id: 'LinkIdentity' })
export type LinkIdentityInput = z.input<typeof linkIdentitySchema>

export function toIdentity({ createdAt, lastUsedAt, ...rest }: IdentityRecord): Identity {
  return {
    ...rest,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  }
}
