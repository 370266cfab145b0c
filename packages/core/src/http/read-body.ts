import { ClienteleError } from '../base/errors.ts'
import { boundJson } from './bound-json.ts'
import { measureForm, parseForm } from './form.ts'
import { type BodyFault, type HttpRequest, readHeader } from './message.ts'
import { ndjsonType } from './render.ts'
import type { Route } from './route.ts'

/** The default maximum size of a body, in bytes. */
const usualMaxBytes = 64 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type BodyRules = Pick<
  Route,
  'acceptsMergePatch' | 'acceptsScim' | 'takesForm' | 'takesLines' | 'maxBodyBytes' | 'hasItems'
>

/** A body that is read but not parsed: bytes, or the value from the host's parser */
export type ReceivedBody = { bytes: Uint8Array } | { parsed: unknown }

/** The maximum size of a route's body, in bytes */
export function maxBodyBytesOf({ maxBodyBytes = usualMaxBytes }: BodyRules): number {
  return maxBodyBytes
}

/**
 * Takes the body from the stream or from the host's parser, without parsing it.
 *
 * @throws ClienteleError `media_type_unsupported`, `body_too_large`, `malformed_json`
 */
export async function receiveBody(request: HttpRequest, rules: BodyRules): Promise<ReceivedBody> {
  return findBody(request, rules) ?? { bytes: await readBytes(request.body, rules) }
}

/**
 * Checks the header fields of a body, and takes it from the host's parser; undefined: it can be read from the stream.
 *
 * @throws ClienteleError `media_type_unsupported`, `body_too_large`, `malformed_json`; `configuration_invalid` when the
 *   host has read the body and kept nothing
 */
export function findBody(request: HttpRequest, rules: BodyRules): ReceivedBody | undefined {
  const maxBytes = maxBodyBytesOf(rules)
  checkMediaType(request, rules)
  const length = readHeader(request, 'content-length') ?? ''
  if (Number(length) > maxBytes) throw createBodyError('body_too_large', rules)
  const { parsedBody, bodyFault } = request
  if (bodyFault !== undefined) throw createParserError(bodyFault, rules)
  // Some parsers turn an empty body into `{}`.
  if (length === '0') return { bytes: new Uint8Array() }
  if (parsedBody === undefined) {
    assertReadable(request)
    return undefined
  }
  const given = typeof parsedBody === 'string' ? encoder.encode(parsedBody) : parsedBody
  if (!(given instanceof Uint8Array)) return { parsed: given }
  if (given.length > maxBytes) throw createBodyError('body_too_large', rules)
  return { bytes: given }
}

/**
 * Parses a body: as JSON (RFC 8259), or as a form if the route takes one. A repeated form field becomes a list.
 *
 * @throws ClienteleError `body_too_large`, `malformed_json`; `validation_failed` for JSON with too many values
 */
export function parseBody(received: ReceivedBody, rules: BodyRules): unknown {
  if ('bytes' in received) {
    const { bytes } = received
    return rules.takesForm ? parseForm(bytes) : parseJson(bytes, rules)
  }
  const measure = rules.takesForm ? measureForm : measureJson
  if (measure(received.parsed) > maxBodyBytesOf(rules))
    throw createBodyError('body_too_large', rules)
  return received.parsed
}

/** @throws ClienteleError `configuration_invalid`, which is logged and not shown to callers */
function assertReadable({ headers, body }: HttpRequest): void {
  if (typeof Object(body)[Symbol.asyncIterator] !== 'function')
    throw new ClienteleError(
      'configuration_invalid',
      'The body of a request (body) must be an async iterable of bytes: pass a text or a parsed body as parsedBody.',
    )
  const isSent =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const { readableDidRead, locked } = Object(body)
  if (!isSent || (readableDidRead !== true && locked !== true)) return
  throw new ClienteleError(
    'configuration_invalid',
    'The body of a request was read before it came to Clientele: mount the routes before the code that reads it, or ' +
      'pass the parsed body (parsedBody).',
  )
}

/** The problem of a body, with the route's limits in its message. */
export function createBodyError(code: BodyFault, rules: BodyRules): ClienteleError {
  const { maxBodyBytes = usualMaxBytes } = rules
  const messages: Partial<Record<BodyFault, string>> = {
    body_too_large: `The body is larger than ${sayBytes(maxBodyBytes)}.`,
    media_type_unsupported: `Send the body as ${mediaTypesOf(rules)[0]} in UTF-8, without a content encoding.`,
  }
  return new ClienteleError(code, messages[code])
}

function sayBytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes > 1 ? `${mebibytes} MiB` : `${bytes / 1024} KiB`
}

/** The problem that the host's body parser reported. Its limit belongs to the host and is unknown here. */
function createParserError(fault: BodyFault, rules: BodyRules): ClienteleError {
  if (fault !== 'body_too_large') return createBodyError(fault, rules)
  return new ClienteleError(fault, 'The body parser before the routes refuses a body of this size.')
}

/** The size of a value as JSON; 0 if it nests too deeply to be written: another rule refuses that. */
function measureJson(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return 0
  }
}

/** The media types of a route's body. */
export function mediaTypesOf({
  takesForm = false,
  takesLines,
  acceptsMergePatch = false,
  acceptsScim = false,
}: BodyRules): readonly string[] {
  if (takesLines !== undefined) return [ndjsonType]
  if (takesForm) return ['application/x-www-form-urlencoded']
  if (acceptsScim) return ['application/scim+json', 'application/json']
  return ['application/json', ...(acceptsMergePatch ? ['application/merge-patch+json'] : [])]
}

function takesJson({ takesForm, takesLines }: BodyRules): boolean {
  return takesForm !== true && takesLines === undefined
}

function checkMediaType(request: HttpRequest, rules: BodyRules): void {
  const given = readHeader(request, 'content-type') ?? ''
  const encoding = readHeader(request, 'content-encoding')
  // A fast path for the usual value
  if (given === 'application/json' && encoding === undefined && takesJson(rules)) return
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase())
  const mediaTypes = mediaTypesOf(rules)
  // All lines: if there are two, another reader may use the other one.
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  if (mediaTypes.includes(type) && isUtf8 && isPlain) return
  throw createBodyError('media_type_unsupported', rules)
}

/** Whether a request's headers say that it has no body. A chunked request or one over HTTP/2 may have one. */
export function isWithoutBody(request: Pick<HttpRequest, 'headers'>): boolean {
  const length = readHeader(request, 'content-length')
  if (length !== undefined) return length === '0'
  const { headers } = request
  return headers['transfer-encoding'] === undefined && headers['content-type'] === undefined
}

async function readBytes(body: AsyncIterable<Uint8Array>, rules: BodyRules): Promise<Uint8Array> {
  const { maxBodyBytes = usualMaxBytes } = rules
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body[Symbol.asyncIterator]()
  while (length <= maxBodyBytes) {
    let part: IteratorResult<Uint8Array>
    try {
      part = await reader.next()
    } catch {
      // The stream broke off.
      throw new ClienteleError('malformed_json')
    }
    if (part.done === true)
      return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    chunks.push(part.value)
    length += part.value.length
  }
  dropRest(reader).catch(() => {}) // a disconnected caller waits for no response
  throw createBodyError('body_too_large', rules)
}

/**
 * Reads and drops the rest, so that the response reaches a caller that is still sending. Ending the iteration would
 * close a Node connection.
 */
async function dropRest(reader: AsyncIterator<Uint8Array>): Promise<void> {
  while ((await reader.next()).done !== true);
}

function parseJson(bytes: Uint8Array, { hasItems = false }: BodyRules): unknown {
  // Counted first: a small text may hold many values, and parsing them would delay other requests.
  const bounded = boundJson(bytes, hasItems)
  try {
    return JSON.parse(decoder.decode(bounded))
  } catch {
    throw new ClienteleError('malformed_json')
  }
}
