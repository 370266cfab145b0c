import { z } from 'zod'
import { withoutControls } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'
import type { IdentityRecord } from './store.ts'

/** Who a user is at another issuer. */
export interface Identity {
  id: string
  /** `iss` of the issuer's tokens, compared character by character */
  issuer: string
  /** What the issuer calls the user, compared character by character */
  subject: string
  createdAt: Date
  /** When it last signed the user in; null: never */
  lastUsedAt: Date | null
}

/** So many identities a user has at most. */
export const maxIdentities = 20

// Half a character would become another one on its way to a database.
const nameSchema = withoutControls(codePoints(z.string(), 1, 255)).refine(
  (text) => text.isWellFormed(),
  { params: { code: 'text_not_allowed' }, message: 'must be well-formed Unicode' },
)

/** What a token's claim calls a user; undefined where no identity can have it. */
export function readSubject(claim: unknown): string | undefined {
  return nameSchema.safeParse(claim).data
}

export const linkIdentitySchema = z
  .strictObject({
    issuer: nameSchema.meta({
      description: '`iss` of its tokens, taken as it is',
      examples: ['https://accounts.google.com'],
    }),
    subject: nameSchema.meta({
      description: 'What the issuer calls the user, taken as it is',
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
