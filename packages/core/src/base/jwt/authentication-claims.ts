import { leewaySeconds } from './refuse-by-code.ts'

/** How recent and how strong a sign-in has to be. */
export interface RequiredAuthentication {
  /** The maximum age of the user's last proof, in seconds, by the claim `auth_time` */
  maxAge?: number | undefined
  /** Authentication methods (RFC 8176), one of which the claim `amr` must have */
  amr?: readonly string[] | undefined
}

/** Who acts as the user (RFC 8693, section 4.1). Another issuer may name them without a `sub`. */
interface ActorClaim {
  sub?: string
}

interface AuthenticationClaims {
  auth_time?: number
  amr?: string[]
  act?: ActorClaim
}

/** Whether a verified token is for a person who acts as its user. A claim in another form counts, too. */
export function isImpersonated(claims: object): boolean {
  return Reflect.get(claims, 'act') !== undefined
}

/** Who acts as the user of a verified token; undefined: the user. */
export function readActor(claims: object): ActorClaim | undefined {
  if (!isImpersonated(claims)) return
  const sub: unknown = Reflect.get(Object(Reflect.get(claims, 'act')), 'sub')
  return typeof sub === 'string' ? { sub } : {}
}

/**
 * The claims of a verified token about its sign-in. Another issuer's may lack them, or have anything in their place. Who
 * acts as the user has shown nothing.
 */
export function readAuthentication(claims: object): AuthenticationClaims {
  const act = readActor(claims)
  if (act !== undefined) return { auth_time: 0, amr: [], act }
  const authTime: unknown = Reflect.get(claims, 'auth_time')
  const amr: unknown = Reflect.get(claims, 'amr')
  const isTime = typeof authTime === 'number' && Number.isSafeInteger(authTime) && authTime >= 0
  const areMethods = Array.isArray(amr) && amr.every((method) => typeof method === 'string')
  return {
    ...(isTime && { auth_time: authTime }),
    ...(areMethods && { amr }),
  }
}

/** Whether the sign-in of a verified token is recent and strong enough. Who acts as the user has shown nothing. */
export function isAuthenticatedEnough(
  claims: object,
  { maxAge, amr: wanted }: RequiredAuthentication,
  nowMs: number,
): boolean {
  const { auth_time: authTime, amr = [] } = readAuthentication(claims)
  const age = authTime === undefined ? Number.NaN : nowMs / 1000 - authTime
  // Another issuer may write milliseconds, or have a wrong clock: a time of the future says nothing.
  const isRecent = maxAge === undefined || (age >= -leewaySeconds && age <= maxAge)
  return isRecent && (wanted === undefined || wanted.some((method) => amr.includes(method)))
}
