import { lookup } from 'node:dns'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from './private-addresses.ts'

export interface FetchJwksOptions {
  timeoutMs: number
  maxBytes: number
  /** Allows http and addresses of the server's own network. */
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
  if (!allowPrivateAddresses && isIP(host) !== 0 && isPrivateAddress(host))
    return 'must not lead into a private network'
  return undefined
}

/** Refuses names that resolve to private addresses; what was checked is what is connected to. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address)))
      return callback(new Error('The name leads into a private network.'), [])
    if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

/**
 * Reads a document over HTTPS: within the time, up to the size, without following redirects, and never from the
 * server's own network unless that is allowed.
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
        ...(allowPrivateAddresses ? {} : { lookup: lookupPublic }),
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
