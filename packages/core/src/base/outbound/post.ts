import { findTarget, openRequest } from './open-request.ts'

export interface PostOptions {
  /** The account that the request is for */
  accountId: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  /** Cancels the request */
  signal: AbortSignal
  allowPrivateAddresses: boolean
}

export interface PostAnswer {
  /** 100 to 599 */
  status: number
  /** The header fields as received */
  retryAfter: string | undefined
}

/**
 * Posts to a URL chosen by another party, and reads only the head of the response.
 *
 * @throws Error when the address is refused or no answer comes in time; ClienteleError `overloaded` when nothing was
 *   sent because too many lookups wait
 */
export async function post(
  address: string,
  { headers, body, timeoutMs, signal: givenUp, ...lookUp }: PostOptions,
): Promise<PostAnswer> {
  const signal = AbortSignal.any([givenUp, AbortSignal.timeout(timeoutMs)])
  const target = await findTarget(address, { ...lookUp, signal })
  return new Promise((resolve, reject) => {
    const request = openRequest(
      target,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        signal,
      },
      ({ statusCode: status = 0, headers }) => {
        const isStatus = status >= 100 && status <= 599
        if (isStatus) resolve({ status, retryAfter: headers['retry-after'] })
        else reject(new Error(`The answer has ${status} for a status.`))
        request.destroy()
      },
    )
    request.on('error', reject)
    // Also after an invalid response, such as 101 with an upgrade. After a valid one it has no effect.
    request.on('close', () => reject(new Error('The connection ended without an answer.')))
    request.end(body)
  })
}
