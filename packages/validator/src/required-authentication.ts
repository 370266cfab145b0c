import { ValidatorError } from './validator-error.ts'
import type { TokenClaims } from './verify-token.ts'

/** How recent and how strong a sign-in has to be. */
export interface RequiredAuthentication {
  /** The maximum time since the user last showed a password or a second factor, in seconds. @default any time */
  maxAge?: number
  /** Authentication methods (RFC 8176), one of which the sign-in must have used. @default every method */
  amr?: readonly string[]
}

/** @throws TypeError for options that would be ignored, or admit other sign-ins */
export function checkRequired(options: RequiredAuthentication): void {
  const { maxAge, amr, ...others } = options
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
}

/** @throws ValidatorError `reauthentication_required` */
export function assertAuthenticatedEnough(
  { auth_time, amr: shown }: TokenClaims,
  { maxAge, amr }: RequiredAuthentication,
): void {
  const isRecent = maxAge === undefined || Date.now() / 1000 - auth_time <= maxAge
  const isStrong = amr === undefined || amr.some((method) => shown.includes(method))
  if (!isRecent || !isStrong) throw new ValidatorError('reauthentication_required')
}
