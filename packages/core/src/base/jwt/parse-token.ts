import { ClienteleError } from '../errors.ts'

/** A parsed token. Its signature and claims are not verified. */
export interface ParsedToken {
  text: string
  payload: Readonly<Record<string, unknown>>
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** In UTF-16 units, without `Bearer` */
export const maxTokenLength = 16 * 1024

/**
 * Reads the parts of a JWT in compact form, strictly: three of them, base64url without padding and without stray
 * bits, a JSON object each.
 *
 * @throws ClienteleError `token_malformed`
 */
export function parseToken(text: string): ParsedToken {
  if (text.length > maxTokenLength) throw malformed()
  const mistake = describeMistake(text)
  if (mistake !== undefined) throw new ClienteleError('token_malformed', mistake)
  const parts = text.split('.', 4)
  const [header = '', payload = '', signature = ''] = parts
  if (parts.length !== 3 || signature === '') throw malformed()
  if (!isBase64url(signature) || !isBase64url(header)) throw malformed()
  return { text, payload: decodeObject(payload) }
}

/** What is sent in place of a token, where its beginning tells. */
export function describeMistake(text: string): string | undefined {
  if (text.startsWith('cu_')) return "This is an API key: send a user's token, a JWT or cut_…."
  return /^bearer /i.test(text) ? 'Send the token alone, without Bearer.' : undefined
}

/** Nearly every token is signed by the same key and so has the same header. */
let latest: { text: string; header: Record<string, unknown> } | undefined

/** @throws ClienteleError `token_malformed` */
export function readHeader(token: ParsedToken): {
  alg: string
  kid: string | undefined
  typ: unknown
} {
  const text = token.text.slice(0, token.text.indexOf('.'))
  if (latest?.text !== text) latest = { text, header: decodeObject(text) }
  const { header } = latest
  const { alg, kid, typ } = header
  // We support no critical extension, and an unsupported one must be refused (RFC 7515, section 4.1.11).
  if (typeof alg !== 'string' || 'crit' in header) throw malformed()
  if (kid !== undefined && typeof kid !== 'string') throw malformed()
  return { alg, kid, typ }
}

function decodeObject(part: string): Record<string, unknown> {
  if (!isBase64url(part)) throw malformed()
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(Buffer.from(part, 'base64url')))
  } catch {
    throw malformed()
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed()
  return value as Record<string, unknown> // a JSON object has text keys
}

function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part
}

function malformed(): ClienteleError {
  return new ClienteleError('token_malformed')
}
