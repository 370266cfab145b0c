import { isIdempotencyKey } from '../base/call/call.ts'
import { ClienteleError } from '../base/errors.ts'
import { assertNotRepeated, type HttpRequest, readHeader } from './message.ts'

// A string of RFC 8941, section 3.3.3, as in draft-ietf-httpapi-idempotency-key-header.
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * Reads the key. Quoted and bare spellings are the same key.
 *
 * @throws ClienteleError `header_repeated`, `header_invalid`
 */
export function readIdempotencyKey(
  request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
): string | undefined {
  const value = readHeader(request, 'idempotency-key')
  if (value === undefined) return undefined
  assertNotRepeated(request, 'idempotency-key')
  const key = value.startsWith('"') ? quoted.exec(value)?.[1]?.replace(/\\(.)/g, '$1') : value
  if (key === undefined || !isIdempotencyKey(key))
    throw new ClienteleError(
      'header_invalid',
      'Send Idempotency-Key as 1 to 255 visible characters of ASCII, bare or quoted.',
    )
  return key
}
