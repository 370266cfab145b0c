import { lookup } from 'node:dns'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { findAddressProblem, isAddress } from './outbound-addresses.ts'

export interface FetchJwksOptions {
  timeoutMs: number
  maxBytes: number
  /** Allows http, private and loopback addresses; link-local, metadata and reserved ones stay refused. */
  allowPrivateAddresses: boolean
}

/** Why an address can't be where keys are read; undefined when it can. */
export function findJwksUrlProblem(
  text: string,
  allowPrivateAddresses: boolean,
): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'must be a URL'
  const schemes = allowPrivateAddresses ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not have credentials in it'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const problem = isAddress(host) ? findAddressProblem(host, allowPrivateAddresses) : undefined
  return problem && `must not lead to ${problem}`
}

/** Refuses names that resolve to addresses which are not allowed; what was checked is what is connected to. */
function createLookup(allowPrivateAddresses: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const [first] = addresses
      if (first === undefined) return callback(new Error('The name has no address.'), [])
      for (const { address } of addresses) {
        const problem = findAddressProblem(address, allowPrivateAddresses)
        if (problem !== undefined) return callback(new Error(`The name leads to ${problem}.`), [])
      }
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * Reads a document over HTTPS: within the time, up to the size, without following redirects, from the server's own
 * network only where that is allowed, and never from a metadata service.
 */
export function fetchJwks(address: string, options: FetchJwksOptions): Promise<string> {
  const { timeoutMs, maxBytes, allowPrivateAddresses } = options
  const problem = findJwksUrlProblem(address, allowPrivateAddresses)
  if (problem !== undefined) return Promise.reject(new Error(`The address ${problem}.`))
  const get = URL.parse(address)?.protocol === 'https:' ? getHttps : getHttp
  return new Promise((resolve, reject) => {
    const request = get(
      address,
      {
        headers: { accept: 'application/json, application/jwk-set+json' },
        // No connection is kept: it would outlive the process's interest in it.
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
        lookup: createLookup(allowPrivateAddresses),
      },
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
  })
}
