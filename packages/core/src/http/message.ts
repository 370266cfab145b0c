import { ClienteleError } from '../base/errors.ts'

/** What can be wrong with a body before anybody knows what it says. */
export type BodyFault = 'malformed_json' | 'body_too_large' | 'media_type_unsupported'

/** Header fields by their names in lower case; a field that came on several lines may be a list. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** All that an adapter tells of a request. It is bound to no runtime and no framework. */
export interface HttpRequest {
  method: string
  /** Path and query below the mount, as they were sent, undecoded: `/client/user?page=2` */
  url: string
  /** What stands before `url` in the address, for `Location` and `Link`: `/api/v1`, or the empty string */
  mountPath: string
  headers: HttpHeaders
  /** Names and values in turn, as they were sent: what shows that a field was repeated */
  rawHeaders: readonly string[]
  /**
   * The body as it comes in: a stream of Node's, a `ReadableStream`, any iterable of bytes. It is read here, and only
   * when an operation takes a body; where it is too large, the rest is read and dropped beside the answer.
   */
  body: AsyncIterable<Uint8Array>
  /** What a body parser of the host's has made of the body; undefined where none has run */
  parsedBody?: unknown
  /** What a body parser of the host's refused the body for; undefined where none did */
  bodyFault?: BodyFault | undefined
  /** The caller's address, only where the host vouches for it: it is one more thing that limits count by */
  clientAddress?: string | undefined
  /** Aborts when the caller is gone: a request that waits for events then ends */
  signal?: AbortSignal | undefined
  /** Whether the caller is gone, where that costs less than a `signal`. @default what `signal` says */
  isGone?: (() => boolean) | undefined
}

/** All that an adapter sends. Header names are in lower case; the body, if any, is complete. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string | undefined
  /** The body as bytes, where they are at hand already: what is sent often is not encoded each time */
  bytes?: Uint8Array<ArrayBuffer> | undefined
}

/** Reads a header field as one value; the lines of one that came on several are a list (RFC 9110, section 5.2). */
export function readHeader(
  { headers }: Pick<HttpRequest, 'headers'>,
  name: string,
): string | undefined {
  const value = headers[name]
  return value === undefined || typeof value === 'string' ? value : value.join(', ')
}

/**
 * Sees that a field came once.
 *
 * @throws ClienteleError `header_repeated`: Node keeps the first of some and a proxy may have checked the other;
 *   `configuration_invalid` where a host does not say how they were sent
 */
export function assertNotRepeated(
  { rawHeaders }: Partial<Pick<HttpRequest, 'rawHeaders'>>,
  name: string,
): void {
  if (rawHeaders === undefined)
    throw new ClienteleError(
      'configuration_invalid',
      'The request needs rawHeaders: names and values in turn, as they were sent.',
    )
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index]
    if (each?.length === name.length && each.toLowerCase() === name) count++
  }
  if (count > 1) throw new ClienteleError('header_repeated')
}
