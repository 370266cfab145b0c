import { ClienteleError } from '../base/errors.ts'
import { boundJson } from './bound-json.ts'
import { measureForm, parseForm } from './form.ts'
import { type BodyFault, type HttpRequest, readHeader } from './message.ts'
import type { Route } from './route.ts'

/** The largest body, in bytes, where a route says nothing else. */
const usualMaxBytes = 64 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type BodyRules = Pick<Route, 'acceptsMergePatch' | 'takesForm' | 'maxBodyBytes' | 'hasItems'>

/**
 * Reads the body, whether it is still to come or the host has parsed it already: as JSON (RFC 8259), or where the route
 * takes a form, as that. A field of a form that came more than once is a list.
 *
 * @throws ClienteleError `media_type_unsupported`, `body_too_large`, `malformed_json`; `validation_failed` for JSON that
 *   holds more values than anything takes
 */
export async function readBody(request: HttpRequest, rules: BodyRules): Promise<unknown> {
  const { takesForm = false, maxBodyBytes: maxBytes = usualMaxBytes } = rules
  const [parse, measure] = takesForm
    ? [parseForm, measureForm]
    : [(bytes: Uint8Array) => parseJson(bytes, rules), measureJson]
  checkMediaType(request, rules)
  const length = readHeader(request, 'content-length') ?? ''
  if (Number(length) > maxBytes) throw createBodyError('body_too_large', rules)
  const { parsedBody, bodyFault } = request
  if (bodyFault !== undefined) throw createParserError(bodyFault, rules)
  // Some parsers make `{}` of an empty body.
  if (length === '0') return parse(new Uint8Array())
  if (parsedBody === undefined) {
    assertUnread(request)
    return parse(await readBytes(request.body, rules))
  }
  const given = typeof parsedBody === 'string' ? encoder.encode(parsedBody) : parsedBody
  const isRaw = given instanceof Uint8Array
  if ((isRaw ? given.length : measure(given)) > maxBytes)
    throw createBodyError('body_too_large', rules)
  return isRaw ? parse(given) : given
}

/** @throws ClienteleError `configuration_invalid`, which is logged and no caller reads */
function assertUnread({ headers, body }: HttpRequest): void {
  const isSent =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const { readableDidRead, locked } = Object(body)
  if (!isSent || (readableDidRead !== true && locked !== true)) return
  throw new ClienteleError(
    'configuration_invalid',
    'The body of a request was read before it came to Clientele: mount the routes before what reads it, or say what was ' +
      'made of it (parsedBody).',
  )
}

/** What is wrong with a body, in the words of the route. */
export function createBodyError(code: BodyFault, rules: BodyRules): ClienteleError {
  const { maxBodyBytes = usualMaxBytes } = rules
  const messages: Partial<Record<BodyFault, string>> = {
    body_too_large: `The body is larger than ${maxBodyBytes / 1024} KiB.`,
    media_type_unsupported: `Send the body as ${mediaTypesOf(rules)[0]} in UTF-8, without a content encoding.`,
  }
  return new ClienteleError(code, messages[code])
}

/** What a body parser of the host's refused: its limit is the host's own, which we do not know. */
function createParserError(fault: BodyFault, rules: BodyRules): ClienteleError {
  if (fault !== 'body_too_large') return createBodyError(fault, rules)
  return new ClienteleError(
    fault,
    'A body parser before the routes takes no body as large as this.',
  )
}

/** What a value takes as JSON; 0 where it nests too deep to be written, which its own rule refuses. */
function measureJson(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return 0
  }
}

/** What a route takes as its body. */
export function mediaTypesOf({
  takesForm = false,
  acceptsMergePatch = false,
}: BodyRules): readonly string[] {
  if (takesForm) return ['application/x-www-form-urlencoded']
  return ['application/json', ...(acceptsMergePatch ? ['application/merge-patch+json'] : [])]
}

function checkMediaType(request: HttpRequest, rules: BodyRules): void {
  const given = readHeader(request, 'content-type') ?? ''
  const encoding = readHeader(request, 'content-encoding')
  // As nearly every request says it
  if (given === 'application/json' && encoding === undefined && !rules.takesForm) return
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase())
  const mediaTypes = mediaTypesOf(rules)
  // All of them: where there are two, another reader may believe the other.
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  if (mediaTypes.includes(type) && isUtf8 && isPlain) return
  throw createBodyError('media_type_unsupported', rules)
}

/** Whether a request says by its header that it has no body. One that comes in chunks, or over HTTP/2, may have one. */
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
    const part = await readPart(reader)
    if (part === undefined)
      return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    chunks.push(part)
    length += part.length
  }
  dropRest(reader).catch(() => {}) // a caller who is gone waits for no answer
  throw createBodyError('body_too_large', rules)
}

async function readPart(reader: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.next()
    return done === true ? undefined : value
  } catch {
    // It broke off on its way.
    throw new ClienteleError('malformed_json')
  }
}

/**
 * Reads what is left into nothing, so that the answer reaches a caller who is still sending. To end the iteration would
 * close a connection of Node's.
 */
async function dropRest(reader: AsyncIterator<Uint8Array>): Promise<void> {
  while ((await reader.next()).done !== true);
}

function parseJson(bytes: Uint8Array, { hasItems = false }: BodyRules): unknown {
  // Counted first: a small text may hold very many values, and to parse them would keep the requests of others waiting.
  const bounded = boundJson(bytes, hasItems)
  try {
    return JSON.parse(decoder.decode(bounded))
  } catch {
    throw new ClienteleError('malformed_json')
  }
}
