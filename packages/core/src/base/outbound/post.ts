import type { PostAnswer } from './exchange/send-post.ts'
import { findTarget } from './find-target.ts'
import type { Outbound } from './outbound.ts'
import { withinTime } from './within-time.ts'

export interface PostedMessage {
  headers: Record<string, string>
  body: Uint8Array
}

export interface PostOptions {
  outbound: Outbound
  /** The account that the request is for */
  accountId: string
  /** Writes the request when it begins, after the look-up of the name. An error of it is thrown. */
  write: () => Promise<PostedMessage>
  timeoutMs: number
  /** Cancels the request */
  signal: AbortSignal
  allowPrivateAddresses: boolean
}

/**
 * Posts to a URL chosen by another party, and reads only the head of the response.
 *
 * @throws Error when the address is refused or no answer comes in time; ClienteleError `overloaded` when nothing was
 *   sent because too many lookups wait, or handshakes with servers of the account take too much time
 */
export function post(
  address: string,
  { outbound, write, timeoutMs, signal: givenUp, ...lookUp }: PostOptions,
): Promise<PostAnswer> {
  return withinTime(timeoutMs, givenUp, async (signal) => {
    const target = await findTarget(address, { ...lookUp, signal })
    const prepare = async () => ({ kind: 'post' as const, target, ...(await write()) })
    return outbound.run(lookUp.accountId, prepare, signal)
  })
}
