import { type ExchangeWatch, type OutboundTarget, openRequest } from './open-request.ts'

export interface Post {
  headers: Record<string, string>
  body: Uint8Array
}

export interface PostAnswer {
  /** 100 to 599 */
  status: number
  /** The header fields as received */
  retryAfter: string | undefined
}

/**
 * Posts to a checked address, and reads only the head of the response.
 *
 * @throws Error when no answer comes
 */
export function sendPost(
  target: OutboundTarget,
  { headers, body }: Post,
  watch: ExchangeWatch,
): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const request = openRequest(
      target,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.byteLength) },
        watch,
      },
      ({ statusCode: status = 0, headers }) => {
        const isStatus = status >= 100 && status <= 599
        if (isStatus) resolve({ status, retryAfter: headers['retry-after'] })
        else reject(faultOf('HPE_INVALID_STATUS', `The answer has the invalid status ${status}.`))
        request.destroy()
      },
    )
    request.on('error', reject)
    // Covers invalid responses too, such as 101 with an upgrade. After a valid one it has no effect.
    request.on('close', () =>
      reject(faultOf('ECONNRESET', 'The connection ended without an answer.')),
    )
    request.end(body)
  })
}

/** An error with a code, as those of Node have: it names the cause in the log. */
function faultOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
