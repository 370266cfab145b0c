import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { requestHttp } from '../runtime/node-http.ts'
import { boundAnswer } from './bound-answer.ts'
import { type HostAddresses, type LookUpOptions, lookUpHost } from './look-up-host.ts'
import { findUrlProblem, hostOf } from './outbound-url.ts'

/** A URL chosen by another party, with its checked addresses: only these are connected to. */
export interface OutboundTarget {
  url: URL
  addresses: HostAddresses
}

export interface OutboundRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  /** Ends the request, even during the response */
  signal: AbortSignal
}

/**
 * Resolves a URL chosen by another party.
 *
 * @throws Error when `findUrlProblem` refuses the URL, or an address of its name is not allowed; ClienteleError
 *   `overloaded` when too many lookups wait
 */
export async function findTarget(address: string, options: LookUpOptions): Promise<OutboundTarget> {
  const problem = findUrlProblem(address, options.allowPrivateAddresses)
  if (problem !== undefined) throw new Error(`The address ${problem}.`)
  const url = new URL(address)
  return { url, addresses: await lookUpHost(hostOf(url), options) }
}

/**
 * Opens a request to one of the checked addresses. Redirects are not followed, and an answer in too many pieces ends it
 * with a CostlyAnswer.
 */
export function openRequest(
  { url, addresses }: OutboundTarget,
  options: OutboundRequest,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  // No connection is kept alive: it could outlive the process's interest in it.
  const request = open(url, { ...options, agent: false, lookup: answerWith(addresses) })
  boundAnswer(request, onResponse)
  return request
}

function answerWith(addresses: HostAddresses): LookupFunction {
  return (_hostname, { all = false }, callback) => {
    const [{ address, family }] = addresses
    if (all) callback(null, addresses)
    else callback(null, address, family)
  }
}
