import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { requestHttp } from '../runtime/node-http.ts'
import { type HostAddresses, type LookUpOptions, lookUpHost } from './look-up-host.ts'
import { findUrlProblem, hostOf } from './outbound-url.ts'

/** An address that somebody else has chosen, with what its name led to: nothing else is connected to. */
export interface OutboundTarget {
  url: URL
  addresses: HostAddresses
}

export interface OutboundRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  /** Ends it, whatever has come by then */
  signal: AbortSignal
}

/**
 * Finds out where an address leads that somebody else has chosen.
 *
 * @throws Error when `findUrlProblem` or an address of its name does not allow it; ClienteleError `overloaded` when there
 *   was no room to look its name up
 */
export async function findTarget(address: string, options: LookUpOptions): Promise<OutboundTarget> {
  const problem = findUrlProblem(address, options.allowPrivateAddresses)
  if (problem !== undefined) throw new Error(`The address ${problem}.`)
  const url = new URL(address)
  return { url, addresses: await lookUpHost(hostOf(url), options) }
}

/** Opens a request on a connection to one of the addresses that were checked. Redirects are not followed. */
export function openRequest(
  { url, addresses }: OutboundTarget,
  options: OutboundRequest,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  // No connection is kept: it would outlive the process's interest in it.
  return open(url, { ...options, agent: false, lookup: answerWith(addresses) }, onResponse)
}

function answerWith(addresses: HostAddresses): LookupFunction {
  return (_hostname, { all = false }, callback) => {
    const [{ address, family }] = addresses
    if (all) callback(null, addresses)
    else callback(null, address, family)
  }
}
