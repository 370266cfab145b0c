import type { TrustedIssuerRecord } from './store.ts'
import type { IssuerTokenClaims } from './trusted-issuers.ts'

/** A claim by its name: never what every object has by itself. */
export function readClaim(claims: IssuerTokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** Whether the e-mail of a token says who its holder is. */
export function isEmailCounted(
  { trustUnverifiedEmail }: TrustedIssuerRecord,
  claims: IssuerTokenClaims,
): boolean {
  return trustUnverifiedEmail || isEmailVerified(claims)
}

/** Whether a token calls its e-mail verified, in either spelling of the claim; where both come, both have to. */
export function isEmailVerified(claims: IssuerTokenClaims): boolean {
  const given = [claims.email_verified, claims.emailVerified].filter((claim) => claim !== undefined)
  return given.length > 0 && given.every((claim) => claim === true || claim === 'true')
}
