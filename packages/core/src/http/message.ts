import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** What can be wrong with a body before anybody knows what it says. */
export type BodyFault = 'malformed_json' | 'body_too_large' | 'media_type_unsupported'

/** All that an adapter tells of a request. */
export interface HttpRequest {
  method: string
  /** Path and query below the mount, as they were sent, undecoded: `/client/user?page=2` */
  url: string
  /** What stands before `url` in the address, for `Location` and `Link`: `/api/v1`, or the empty string */
  mountPath: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as Node keeps them: what shows that a field was repeated */
  rawHeaders: readonly string[]
  /** The body as it comes in; it is read here, at most 64 KiB of it, unless the host has parsed it */
  body: Readable
  /** What a body parser of the host's has made of the body; undefined where none has run */
  parsedBody?: unknown
  /** What a body parser of the host's refused the body for; undefined where none did */
  bodyFault?: BodyFault | undefined
  /** The caller's address, only where the host vouches for it: it is one more thing that limits count by */
  clientAddress?: string | undefined
}

/** All that an adapter sends. Header names are in lower case; the body, if any, is complete. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string | undefined
}
