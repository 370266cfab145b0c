import { CostlyAnswer } from './bound-answer.ts'
import { CostlyHandshake } from './handshake-stream.ts'
import { type ExchangeWatch, type OutboundTarget, openRequest } from './open-request.ts'
import type { Post } from './send-post.ts'
import { UnreadableDocument } from './unreadable-document.ts'

export interface Read {
  maxBytes: number
  /** Posts this. @default GET */
  post?: Post | undefined
}

/**
 * Reads a JSON document, not yet parsed, from a checked address.
 *
 * @throws UnreadableDocument; any error of the connection
 */
export async function readBytes(
  target: OutboundTarget,
  read: Read,
  watch: ExchangeWatch,
): Promise<Uint8Array> {
  try {
    return await receive(target, read, watch)
  } catch (error) {
    throw explain(error)
  }
}

function receive(
  target: OutboundTarget,
  { maxBytes, post }: Read,
  watch: ExchangeWatch,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...headersOf(post),
    }
    const method = post === undefined ? 'GET' : 'POST'
    const request = openRequest(target, { method, headers, watch }, (response) => {
      const { statusCode: status = 0, headers } = response
      const refuse = (reason: string, options?: { status: number }): void => {
        request.destroy(new UnreadableDocument(reason, options))
      }
      if (status !== 200) return refuse(`the answer has the status ${status}`, { status })
      if ((headers['content-encoding'] ?? 'identity') !== 'identity')
        return refuse('the answer is compressed, although the request does not accept that')
      const chunks: Buffer[] = []
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxBytes) refuse(`the answer is longer than ${maxBytes} bytes`)
        else chunks.push(chunk)
      })
      response.on('end', () => resolve(Buffer.concat(chunks)))
      response.on('error', reject)
    })
    request.on('error', reject)
    // Covers invalid responses too, such as 101 with an upgrade. After a complete response it has no effect.
    request.on('close', () =>
      reject(new UnreadableDocument('the connection ends without an answer')),
    )
    request.end(post?.body)
  })
}

function headersOf(post: Post | undefined): Record<string, string> {
  return post === undefined
    ? {}
    : { ...post.headers, 'content-length': String(post.body.byteLength) }
}

function explain(error: unknown): unknown {
  return error instanceof CostlyHandshake || error instanceof CostlyAnswer
    ? new UnreadableDocument(error.message, { cause: error })
    : error
}
