import { userFields } from '../../user-model/fields.ts'
import type { IssuerTokenClaims } from '../trusted-issuers/trusted-issuers.ts'

const controls = /[\p{Cc}\u2028\u2029]+/gu

/** The name of a new user: from the token, or else the e-mail, adapted to the rules for names. */
export function nameOfClaims(claims: IssuerTokenClaims, email: string): string {
  const parts = [claims.given_name, claims.family_name].filter((part) => typeof part === 'string')
  const candidates = [claims.name, parts.join(' '), email.slice(0, email.indexOf('@'))]
  return candidates.map(fit).find((name) => name !== undefined) ?? [...email].slice(0, 50).join('')
}

function fit(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string') return undefined
  // Cut first, so that later steps are cheap.
  const text = candidate.slice(0, 200).toWellFormed().replaceAll(controls, ' ').trim()
  const name = [...text.normalize('NFC')].slice(0, 50).join('')
  return userFields.name.schema.safeParse(name).data
}
