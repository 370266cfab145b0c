import { ClienteleError } from '../base/errors.ts'

/** Faults of a body that a parser reports before the route is known. */
export type BodyFault = 'malformed_json' | 'body_too_large' | 'media_type_unsupported'

/** Header fields by lower-case name; a field that came on several lines may be a list. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request as an adapter passes it on. It depends on no runtime and no framework. */
export interface HttpRequest {
  method: string
  /** Path and query below the mount as sent, undecoded: `/client/user?page=2` */
  url: string
  /** The prefix of `url` in the address, for `Location` and `Link`: `/api/v1`, or the empty string */
  mountPath: string
  headers: HttpHeaders
  /** Names and values alternately, as sent: they reveal repeated fields */
  rawHeaders: readonly string[]
  /**
   * The incoming body: a Node stream, a `ReadableStream`, any iterable of bytes. It is read only when an operation
   * takes a body. If it is too large, the rest is read and dropped while the response is sent.
   */
  body: AsyncIterable<Uint8Array>
  /** The body that the host's body parser has parsed; undefined: no parser ran */
  parsedBody?: unknown
  /** Why the host's body parser refused the body; undefined: it did not */
  bodyFault?: BodyFault | undefined
  /** The caller's address, if the host passes it; rate limits count by it, too */
  clientAddress?: string | undefined
  /** Aborts when the caller has disconnected: a request that waits for events then ends */
  signal?: AbortSignal | undefined
  /** Whether the caller has disconnected, if that is cheaper than a `signal`. @default asks the signal */
  isGone?: (() => boolean) | undefined
  /**
   * Is told of a large response whose it is, by the account's id, and how many bytes of memory it takes until the caller
   * has read it. The id is empty where the caller has no account.
   */
  noteResponse?: ((accountId: string, bytes: number) => void) | undefined
}

/** A line of a body: its value, or why it has none. */
export interface BodyLine {
  /** From 1; empty lines count */
  line: number
  value?: unknown
  fault?: string
}

/** The lines of a body, to be read once. */
export interface BodyLines extends AsyncIterable<BodyLine> {
  /** The line before which reading ended, because of a limit of the whole body; null: it did not */
  readonly cutAtLine: number | null
  /**
   * Reads and drops the rest: a caller that is still sending reads the response afterwards.
   *
   * @param stay is called for each part, and may end it by an error
   */
  drain(stay?: () => Promise<void>): Promise<void>
  /** The same after a refusal: for a few seconds before the response, and then while it is sent */
  drop(): Promise<void>
}

/** The response that an adapter sends. Header names are in lower case; `body` and `bytes` are complete. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string | undefined
  /** The body as bytes, if it is encoded already */
  bytes?: Uint8Array<ArrayBuffer> | undefined
  /**
   * The body in parts of at most 64 KiB, in place of the other two. `sendResponse` and `toReadable` of
   * `@clientele/core/node`, and `toResponse`, send it. When it throws, the connection must be broken, so that the
   * response does not look complete.
   */
  stream?: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  /** What `stream` is made from takes this much memory until all of it has been made, in bytes. @default little */
  heldBytes?: number | undefined
}

/** Reads a header field as one value; several lines are joined to a list (RFC 9110, section 5.2). */
export function readHeader(
  { headers }: Pick<HttpRequest, 'headers'>,
  name: string,
): string | undefined {
  const value = headers[name]
  return value === undefined || typeof value === 'string' ? value : value.join(', ')
}

/**
 * Asserts that a field was sent at most once.
 *
 * @throws ClienteleError `header_repeated`: Node keeps the first of some fields, and a proxy may have checked the other
 *   one; `configuration_invalid` when the host does not pass `rawHeaders`
 */
export function assertNotRepeated(
  { rawHeaders }: Partial<Pick<HttpRequest, 'rawHeaders'>>,
  name: string,
): void {
  if (rawHeaders === undefined)
    throw new ClienteleError(
      'configuration_invalid',
      'The request needs rawHeaders: names and values alternately, as they were sent.',
    )
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index]
    if (each?.length === name.length && each.toLowerCase() === name) count++
  }
  if (count > 1) throw new ClienteleError('header_repeated')
}
