import type { ExchangeWatch, OutboundTarget } from './open-request.ts'
import { readBytes } from './read-bytes.ts'
import { type Post, type PostAnswer, sendPost } from './send-post.ts'

/** A request to a checked address, in a form that can be sent to a thread */
export type Exchange =
  | ({ kind: 'post'; target: OutboundTarget } & Post)
  | { kind: 'read'; target: OutboundTarget; maxBytes: number; post?: Post | undefined }

/** The result of each kind of exchange */
export interface ExchangeResults {
  post: PostAnswer
  read: Uint8Array
}

/** @throws UnreadableDocument when a document is refused; any error of the connection */
export function runExchange(
  exchange: Exchange,
  watch: ExchangeWatch,
): Promise<ExchangeResults[Exchange['kind']]> {
  const { target } = exchange
  return exchange.kind === 'post'
    ? sendPost(target, exchange, watch)
    : readBytes(target, exchange, watch)
}
