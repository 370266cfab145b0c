import { ClienteleError } from '../errors.ts'
import type { HttpRequest } from './message.ts'

/** The largest body, in bytes. */
export const maxBodyBytes = 64 * 1024

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
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes)
    throw new ClienteleError('body_too_large')
  const { parsedBody, bodyFault } = request
  if (bodyFault !== undefined) throw new ClienteleError(bodyFault)
  // Some parsers make `{}` of an empty body.
  if (request.headers['content-length'] === '0') throw new ClienteleError('malformed_json')
  if (parsedBody === undefined) return parseJson(await readBytes(request))
  if (typeof parsedBody === 'string') return parseJson(Buffer.from(parsedBody))
  if (Buffer.isBuffer(parsedBody)) return parseJson(parsedBody)
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

function checkMediaType({ headers }: HttpRequest, acceptsMergePatch: boolean): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const isJson =
    type === 'application/json' || (acceptsMergePatch && type === 'application/merge-patch+json')
  // All of them: where there are two, another reader may believe the other.
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  const encoding = headers['content-encoding']
  const isPlain = encoding === undefined || encoding.toLowerCase() === 'identity'
  if (!isJson || !isUtf8 || !isPlain) throw new ClienteleError('media_type_unsupported')
}

function readBytes({ body }: HttpRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (settle: () => void): void => {
      body.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
      settle()
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= maxBodyBytes) chunks.push(chunk)
      else {
        // The rest flows on into nothing, so that the answer reaches a caller who is still sending.
        finish(() => reject(new ClienteleError('body_too_large')))
        body.resume()
      }
    }
    const onEnd = (): void =>
      finish(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onBreak = (): void => finish(() => reject(new ClienteleError('malformed_json')))
    if (body.readableEnded || body.destroyed) return resolve(Buffer.alloc(0))
    body.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
  })
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new ClienteleError('malformed_json')
  }
}
