import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'

/** The stream of a response over HTTP/2, by Node's compatible API; undefined over HTTP/1. */
export function streamOf(res: ServerResponse): ServerHttp2Stream | undefined {
  return (res as { stream?: ServerHttp2Stream }).stream
}

/** Whether the caller has disconnected. A response over HTTP/2 does not say it itself. */
export function isGone(res: ServerResponse): boolean {
  return res.closed || res.destroyed || streamOf(res)?.destroyed === true
}
