import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { requestHttp } from '../runtime/node-http.ts'
import { createLookup } from './look-up-host.ts'
import { findUrlProblem } from './outbound-url.ts'

export interface OutboundRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  /** Ends it, whatever has come by then */
  signal: AbortSignal
  /** Allows http, private and loopback addresses; link-local, metadata and reserved ones stay refused. */
  allowPrivateAddresses: boolean
}

/**
 * Opens a request to an address that somebody else has chosen: only to where `findUrlProblem` and every address of its
 * name allow, on a connection to one of the addresses that were checked. Redirects are not followed.
 *
 * @throws Error when the address is refused
 */
export function openRequest(
  address: string,
  { allowPrivateAddresses, ...options }: OutboundRequest,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const problem = findUrlProblem(address, allowPrivateAddresses)
  if (problem !== undefined) throw new Error(`The address ${problem}.`)
  const open = URL.parse(address)?.protocol === 'https:' ? requestHttps : requestHttp
  return open(
    address,
    {
      ...options,
      // No connection is kept: it would outlive the process's interest in it.
      agent: false,
      lookup: createLookup(allowPrivateAddresses),
    },
    onResponse,
  )
}
