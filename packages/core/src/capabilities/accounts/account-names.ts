import { z } from 'zod'
import { withoutControls } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'

/** A label of a domain (RFC 1123), in lower case */
export const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** What names an account beside its id. No other account has the same. */
const nameSchemas = {
  slug: z
    .string()
    .regex(
      dnsLabel,
      'must have 1 to 63 lower-case letters, digits and hyphens, and no hyphen at an end',
    ),
  externalId: withoutControls(codePoints(z.string(), 1, 255)),
}

export type AccountNameKind = keyof typeof nameSchemas
/** In the order in which they are written: processes that write the same two at once do not block each other. */
export const accountNameKinds = ['slug', 'externalId'] as const satisfies AccountNameKind[]

/** Whether a text can be such a name at all. */
export function isAccountName(kind: AccountNameKind, text: string): boolean {
  return text.isWellFormed() && nameSchemas[kind].safeParse(text).success
}

/** Null: the account has none. */
export const accountNameShape = {
  slug: nameSchemas.slug.nullable(),
  externalId: nameSchemas.externalId.nullable(),
}

/** Which name another account has. */
export type NameTaken = 'slug_taken' | 'external_id_taken'
export const takenCodes = {
  slug: 'slug_taken',
  externalId: 'external_id_taken',
} as const satisfies Record<AccountNameKind, NameTaken>
