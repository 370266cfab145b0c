import { LateCache } from '../base/runtime/late-cache.ts'
import type { CheckedBody, Received } from './receive-body.ts'

const maxKnown = 2_000
/** In bytes: a token and its member take less */
const maxKnownBytes = 2_048

/**
 * Checked bodies of a route, by what was sent: callers send the same token again and again, and parsing and checking it takes
 * as long as the rest. Only bodies of requests that succeeded are kept, so that no other request takes their room.
 */
export class KnownBodies {
  readonly #known = new LateCache<Extract<CheckedBody, { data: unknown }>>(maxKnown)

  find(text: string | undefined): CheckedBody | undefined {
    return text === undefined ? undefined : this.#known.get(text)
  }

  keep(text: string | undefined, body: CheckedBody): void {
    if (text !== undefined && 'data' in body) this.#known.set(text, body)
  }
}

/** A text by which a body is known; undefined: it is not kept */
export function textOfBody(received: Received): string | undefined {
  if (received === undefined || !('bytes' in received)) return undefined
  const { buffer, byteOffset, byteLength } = received.bytes
  // Each byte becomes a character, also where it is no UTF-8.
  return byteLength > maxKnownBytes
    ? undefined
    : Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
