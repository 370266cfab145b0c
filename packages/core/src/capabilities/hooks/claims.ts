import { ClienteleError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/input/json.ts'

/** In bytes, as JSON */
const maxClaimsBytes = 4096

/** The claims of RFC 7519, section 4.1, and those that Clientele or verifiers of access tokens read in a fixed sense. */
const ownClaims: ReadonlySet<string> = new Set(
  'iss sub aud exp nbf iat jti client_id sid amr auth_time act may_act acr azp nonce cnf scope user_token_id'.split(
    ' ',
  ),
)

/**
 * The claims that a hook adds to a token, as JSON has them.
 *
 * @throws ClienteleError `hook_failed`
 */
export function readClaims(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return undefined
  if (!isPlainObject(given)) throw failed('The claims of the hook are no object.')
  const text = toJson(given)
  if (Buffer.byteLength(text) > maxClaimsBytes)
    throw failed(`The claims of the hook have more than ${maxClaimsBytes} bytes as JSON.`)
  const claims: unknown = JSON.parse(text)
  // A `toJSON` makes of an object what it likes.
  if (!isPlainObject(claims)) throw failed('The claims of the hook are no object.')
  const taken = Object.keys(claims).filter((name) => ownClaims.has(name))
  if (taken.length > 0) throw failed(`The hook may not set the claims ${taken.join(', ')}.`)
  return claims
}

function toJson(claims: object): string {
  try {
    return JSON.stringify(claims) ?? 'null'
  } catch (cause) {
    throw failed('The claims of the hook are no JSON.', cause)
  }
}

function failed(reason: string, cause?: unknown): ClienteleError {
  return new ClienteleError('hook_failed', undefined, { cause: new Error(reason, { cause }) })
}
