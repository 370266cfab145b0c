import { findTarget, openRequest } from './open-request.ts'

export interface PostOptions {
  /** On whose behalf */
  accountId: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  /** Gives the request up */
  signal: AbortSignal
  allowPrivateAddresses: boolean
}

export interface PostAnswer {
  /** 100 to 599 */
  status: number
  /** As it came */
  retryAfter: string | undefined
}

/**
 * Posts to an address that somebody else has chosen, and reads of the answer no more than its head.
 *
 * @throws Error when the address is refused, or nothing answers in time; ClienteleError `overloaded` when nothing was sent,
 *   because there was no room to look its name up
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
    // Also after an answer that is none, such as 101 with an upgrade; behind one it says nothing.
    request.on('close', () => reject(new Error('The connection ended without an answer.')))
    request.end(body)
  })
}
