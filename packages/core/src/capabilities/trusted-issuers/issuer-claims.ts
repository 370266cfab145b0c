import { readEmailAddress } from '../../user-model/email-address.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { IssuerTokenClaims } from './trusted-issuers.ts'

/** A claim by its name: never what every object has by itself. */
export function readClaim(claims: IssuerTokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** The claim that has the e-mail of a token's holder. */
export function emailClaimOf({ userLookup, userClaim }: TrustedIssuerRecord): string {
  return userLookup === 'email' ? userClaim : 'email'
}

/** Whether the e-mail of a token says who its holder is. */
export function isEmailCounted(issuer: TrustedIssuerRecord, claims: IssuerTokenClaims): boolean {
  return issuer.trustUnverifiedEmail || isEmailVerified(issuer, claims)
}

/**
 * Whether a token calls the e-mail verified, in either spelling of the claim; where both come, both have to. It says so of
 * the claim `email` alone (OpenID Connect Core 1.0, section 5.1): another one counts where it is the same address.
 */
export function isEmailVerified(issuer: TrustedIssuerRecord, claims: IssuerTokenClaims): boolean {
  const name = emailClaimOf(issuer)
  if (name !== 'email' && !isSameAddress(readClaim(claims, name), claims.email)) return false
  const given = [claims.email_verified, claims.emailVerified].filter((claim) => claim !== undefined)
  return given.length > 0 && given.every((claim) => claim === true || claim === 'true')
}

function isSameAddress(left: unknown, right: unknown): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') return false
  const address = readEmailAddress(left)
  return address !== undefined && address === readEmailAddress(right)
}
