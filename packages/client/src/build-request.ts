import type { ClientSettings } from './client-options.ts'
import { encodeLines } from './encode-lines.ts'
import { operations } from './generated/operations.ts'
import type { Operation } from './operation.ts'

export interface OutgoingRequest {
  url: string
  method: Operation['method']
  headers: Headers
  body: string | ReadableStream<Uint8Array<ArrayBuffer>> | null
  signal: AbortSignal | undefined
  /** Undefined: lines take as long as they take */
  timeoutMs: number | undefined
  /** Whether a success is read line by line */
  answersLines: boolean
  /** Whether the request is idempotent */
  isRepeatable: boolean
}

/**
 * Makes a request from a method's arguments: the path's parameters, the body if the operation has one, and the
 * options, which are query parameters and header fields by their own names.
 *
 * @throws TypeError when it cannot be sent
 */
export function buildRequest(
  operation: Operation,
  given: readonly unknown[],
  settings: ClientSettings,
): OutgoingRequest {
  const rest = [...given]
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeId(name, rest.shift()))
  const [body, contentType] = operation.body ? encodeBody(operation.body, rest.shift()) : [null]
  const { signal, ...options } = (rest.shift() ?? {}) as { signal?: AbortSignal } // as the methods' types have it
  const headers = new Headers({ authorization: `Bearer ${settings.apiKey}` })
  if (contentType !== undefined) headers.set('content-type', contentType)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (operation.headers?.includes(name)) headers.set(name, String(value))
    else query.set(name, String(value))
  }
  if (operation.headers?.includes('Idempotency-Key') && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', crypto.randomUUID())
  }
  const search = query.size === 0 ? '' : `?${query}`
  return {
    url: `${settings.baseUrl}${path}${search}`,
    method: operation.method,
    headers,
    body,
    signal,
    timeoutMs:
      operation.body === 'ndjson'
        ? undefined
        : settings.timeoutMs + (Number(query.get('wait')) || 0) * 1000,
    answersLines: operation.answer === 'ndjson',
    isRepeatable: isRepeatable(operation, headers),
  }
}

/** The words in the paths of all operations */
const words = new Set(Object.values(operations).flatMap(({ path }) => path.split('/')))

/** An id is one segment of the path: `..`, a slash, or a word such as `export` would lead to another operation. */
function encodeId(name: string, id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError(`${name} must be a text, and neither empty nor dots`)
  // A proxy may decode them.
  if (/[/\\]/.test(id)) throw new TypeError(`${name} must contain neither / nor \\`)
  if (!id.isWellFormed()) throw new TypeError(`${name} must be well-formed Unicode`)
  if (words.has(id)) throw new TypeError(`${name} must not be ${id}: this names another operation`)
  return encodeURIComponent(id)
}

type Body = OutgoingRequest['body']

function encodeBody(
  form: NonNullable<Operation['body']>,
  body: unknown,
): [body: Body, contentType: string] {
  if (form === 'ndjson') return [encodeLines(body), 'application/x-ndjson']
  if (form === 'json') return [JSON.stringify(body) ?? '', 'application/json']
  const given = Object.entries(Object(body)).filter(([, value]) => value !== undefined)
  const fields = given.map(([name, value]): [string, string] => [name, String(value)])
  return [String(new URLSearchParams(fields)), 'application/x-www-form-urlencoded']
}

function isRepeatable({ method, isRead }: Operation, headers: Headers): boolean {
  if (method === 'GET' || isRead) return true
  // The first attempt may have succeeded: then the same condition would refuse the second.
  if (method === 'PUT' || method === 'DELETE') return !headers.has('if-match')
  return headers.has('idempotency-key')
}
