import { ClienteleError } from '../errors.ts'
import { countLayouts, maxLayouts } from '../input/count-layouts.ts'
import { UnreadableDocument } from './exchange/unreadable-document.ts'
import { findTarget } from './find-target.ts'
import { HostRefused, type LookUp } from './look-up-host.ts'
import type { Outbound } from './outbound.ts'
import { findUrlProblem } from './outbound-url.ts'

export interface ReadJsonOptions {
  outbound: Outbound
  /** Whose requests and look-ups take turns: the account that the request is for */
  accountId: string
  maxBytes: number
  /** Cancels the request */
  signal: AbortSignal
  /** Allows http, private and loopback addresses; link-local, metadata and reserved ones stay refused. */
  allowPrivateAddresses: boolean
  /** @default asks for each request anew, in turns of the accounts */
  lookUp?: LookUp
  /** Posts this. @default GET */
  post?: { headers: Record<string, string>; body: Uint8Array }
}

/**
 * Reads a JSON document from a URL chosen by another party. It limits the size and the number of pieces, follows no
 * redirects, reaches the server's own network only if that is allowed, and never reaches a metadata service.
 *
 * @throws UnreadableDocument; ClienteleError `overloaded` when too many lookups wait, or handshakes with servers of the
 *   account take too much time
 */
export async function readJson(
  address: string,
  { outbound, maxBytes, lookUp, post, ...options }: ReadJsonOptions,
): Promise<unknown> {
  const { accountId, allowPrivateAddresses, signal } = options
  const problem = findUrlProblem(address, allowPrivateAddresses)
  if (problem !== undefined) throw new UnreadableDocument(`its address ${problem}`)
  let bytes: Uint8Array
  try {
    const target = await findTarget(address, options, lookUp)
    const read = { kind: 'read' as const, target, maxBytes, post }
    bytes = await outbound.run(accountId, () => read, signal)
  } catch (error) {
    throw explain(error, signal)
  }
  if (countLayouts(bytes, maxLayouts) > maxLayouts)
    throw new UnreadableDocument('the answer has too many different member names')
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'))
  } catch {
    throw new UnreadableDocument('the answer is not JSON')
  }
}

function explain(error: unknown, signal: AbortSignal): Error {
  if (error instanceof UnreadableDocument || error instanceof ClienteleError) return error
  if (signal.aborted) return new UnreadableDocument('it takes too long', { cause: error })
  if (error instanceof HostRefused)
    return new UnreadableDocument(`its name leads to ${error.problem}`, { cause: error })
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new UnreadableDocument(`the connection fails${code}`, { cause: error })
}
