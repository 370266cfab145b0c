import { ValidatorError } from './validator-error.ts'
import { leewaySeconds, type TokenClaims } from './verify-token.ts'

/** How recent and how strong a sign-in has to be, and whose. */
export interface RequiredAuthentication {
  /** The maximum time since the user last showed a password or a second factor, in seconds. @default any time */
  maxAge?: number
  /** Authentication methods (RFC 8176), one of which the sign-in must have used. @default every method */
  amr?: readonly string[]
  /** `refuse`: a person who acts as the user (the claim `act`, RFC 8693) is refused. @default 'allow' */
  impersonation?: 'allow' | 'refuse'
  /** Scopes, all of which the token must have in `scope`: that of a sign-in has none. @default every token */
  scopes?: readonly string[]
}

/** @throws TypeError for options that would be ignored, or admit other sign-ins */
export function checkRequired(options: RequiredAuthentication): void {
  const { maxAge, amr, impersonation = 'allow', scopes, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`validate() has no option ${unknown}.`)
  // As with a setting that is missing. Taken as absent, it would admit more sign-ins than were meant.
  for (const [name, value] of Object.entries(options))
    if (value === undefined)
      throw new TypeError(`${name} is undefined: give it a value, or leave it out.`)
  if (maxAge !== undefined && !(Number.isFinite(maxAge) && maxAge > 0))
    throw new TypeError('maxAge must be a number of seconds above 0.')
  if (amr !== undefined && !(Array.isArray(amr) && amr.length > 0))
    throw new TypeError('amr must be a list of methods, with one at least.')
  if (impersonation !== 'allow' && impersonation !== 'refuse')
    throw new TypeError('impersonation must be allow or refuse.')
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0))
    throw new TypeError('scopes must be a list of scopes, with one at least.')
  // As of a setting that is empty. A claim `scope` that is empty would have it.
  if (scopes?.includes('')) throw new TypeError('scopes must not have an empty one.')
}

/** @throws ValidatorError `scope_insufficient` */
export function assertScopes(
  { scope }: TokenClaims,
  { scopes = [] }: RequiredAuthentication,
): void {
  const held = scope?.split(' ') ?? []
  if (!scopes.every((each) => held.includes(each))) throw new ValidatorError('scope_insufficient')
}

/** @throws ValidatorError `reauthentication_required`, `impersonation_refused` */
export function assertAuthenticatedEnough(
  { auth_time, amr: shown, act }: TokenClaims,
  { maxAge, amr, impersonation }: RequiredAuthentication,
): void {
  if (impersonation === 'refuse' && act !== undefined)
    throw new ValidatorError('impersonation_refused')
  // Who acts as the user has shown nothing.
  if (act !== undefined && (maxAge !== undefined || amr !== undefined))
    throw new ValidatorError('reauthentication_required')
  const age = auth_time === undefined ? Number.NaN : Date.now() / 1000 - auth_time
  // A sign-in of the future was made while a clock was ahead: its age is unknown.
  const isRecent = maxAge === undefined || (age <= maxAge && age >= -leewaySeconds)
  const isStrong = amr === undefined || amr.some((method) => shown.includes(method))
  if (!isRecent || !isStrong) throw new ValidatorError('reauthentication_required')
}
