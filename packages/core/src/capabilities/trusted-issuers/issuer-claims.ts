import { maxEmailUnits, readEmailAddress } from '../../user-model/email-address.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { IssuerTokenClaims } from './trusted-issuers.ts'

/** A claim by its name, without inherited properties. */
export function readClaim(claims: IssuerTokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** The claim with the e-mail of the token's user. */
export function emailClaimOf({ userLookup, userClaim }: TrustedIssuerRecord): string {
  return userLookup === 'email' ? userClaim : 'email'
}

/**
 * The stored form of an address in a token; undefined when it is not an address in NFC: an address with look-alike
 * letters may be another mailbox at the issuer.
 */
export function readClaimedAddress(claim: unknown): string | undefined {
  // Normalising takes quadratic time, and no address in NFC is longer.
  if (typeof claim !== 'string' || claim.length > maxEmailUnits || !claim.isWellFormed())
    return undefined
  if (claim !== claim.normalize('NFC')) return undefined
  return readEmailAddress(claim)
}

/** Whether the e-mail of a token can be trusted to identify its user. */
export function isEmailCounted(issuer: TrustedIssuerRecord, claims: IssuerTokenClaims): boolean {
  return issuer.trustUnverifiedEmail || isEmailVerified(issuer, claims)
}

/**
 * Whether a token calls the e-mail verified, in either spelling of the claim; if both are present, both must say so.
 * They refer to the claim `email` only (OpenID Connect Core 1.0, section 5.1): another claim counts if it has the same
 * address.
 */
export function isEmailVerified(issuer: TrustedIssuerRecord, claims: IssuerTokenClaims): boolean {
  const name = emailClaimOf(issuer)
  if (name !== 'email' && !isSameAddress(readClaim(claims, name), claims.email)) return false
  const given = [claims.email_verified, claims.emailVerified].filter((claim) => claim !== undefined)
  return given.length > 0 && given.every((claim) => claim === true || claim === 'true')
}

function isSameAddress(left: unknown, right: unknown): boolean {
  const address = readClaimedAddress(left)
  return address !== undefined && address === readClaimedAddress(right)
}
