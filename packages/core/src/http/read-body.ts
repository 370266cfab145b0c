import { ClienteleError } from '../errors.ts'
import { type HttpRequest, readHeader } from './message.ts'

/** The largest body, in bytes. */
export const maxBodyBytes = 64 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads the body as JSON (RFC 8259), whether it is still to come or the host has parsed it already.
 *
 * @throws ClienteleError `media_type_unsupported`, `body_too_large`, `malformed_json`
 */
export async function readJsonBody(
  request: HttpRequest,
  acceptsMergePatch: boolean,
): Promise<unknown> {
  checkMediaType(request, acceptsMergePatch)
  const length = readHeader(request, 'content-length') ?? ''
  if (Number(length) > maxBodyBytes) throw new ClienteleError('body_too_large')
  const { parsedBody, bodyFault } = request
  if (bodyFault !== undefined) throw new ClienteleError(bodyFault)
  // Some parsers make `{}` of an empty body.
  if (length === '0') throw new ClienteleError('malformed_json')
  if (parsedBody === undefined) return parseJson(await readBytes(request.body))
  if (typeof parsedBody === 'string') return parseJson(encoder.encode(parsedBody))
  if (parsedBody instanceof Uint8Array) return parseJson(parsedBody)
  if (measureBytes(parsedBody) > maxBodyBytes) throw new ClienteleError('body_too_large')
  return parsedBody
}

/** What a value takes as JSON; 0 where it nests too deep to be written, which its own rule refuses. */
function measureBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return 0
  }
}

function checkMediaType(request: HttpRequest, acceptsMergePatch: boolean): void {
  const [type = '', ...parameters] = (readHeader(request, 'content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const isJson =
    type === 'application/json' || (acceptsMergePatch && type === 'application/merge-patch+json')
  // All of them: where there are two, another reader may believe the other.
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  const encoding = readHeader(request, 'content-encoding')
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  if (!isJson || !isUtf8 || !isPlain) throw new ClienteleError('media_type_unsupported')
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
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
  throw new ClienteleError('body_too_large')
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

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new ClienteleError('malformed_json')
  }
}
