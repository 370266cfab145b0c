import { findTarget, openRequest } from './open-request.ts'

export interface FetchJwksOptions {
  /** Whose issuer it is */
  accountId: string
  timeoutMs: number
  maxBytes: number
  /** Allows http, private and loopback addresses; link-local, metadata and reserved ones stay refused. */
  allowPrivateAddresses: boolean
}

/**
 * Reads a document over HTTPS: within the time, up to the size, without following redirects, from the server's own
 * network only where that is allowed, and never from a metadata service.
 */
export async function fetchJwks(address: string, options: FetchJwksOptions): Promise<string> {
  const { timeoutMs, maxBytes, ...lookUp } = options
  const signal = AbortSignal.timeout(timeoutMs)
  const target = await findTarget(address, { ...lookUp, signal })
  return new Promise((resolve, reject) => {
    const request = openRequest(
      target,
      { method: 'GET', headers: { accept: 'application/json, application/jwk-set+json' }, signal },
      (response) => {
        if (response.statusCode !== 200) {
          request.destroy(new Error(`The answer has the status ${response.statusCode}.`))
          return
        }
        const chunks: Buffer[] = []
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          if (length > maxBytes) request.destroy(new Error('The answer is too long.'))
          else chunks.push(chunk)
        })
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    // Also after an answer that is none, such as 101 with an upgrade; behind a whole one it says nothing.
    request.on('close', () => reject(new Error('The connection ended without an answer.')))
    request.end()
  })
}
