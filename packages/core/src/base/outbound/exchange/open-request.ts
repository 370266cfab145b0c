import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { requestHttp } from '../../runtime/node-http.ts'
import type { HostAddresses } from '../look-up-host.ts'
import { boundAnswer } from './bound-answer.ts'
import { connectSecurely } from './connect-securely.ts'

/** A URL chosen by another party, with its checked addresses: only these are connected to. */
export interface OutboundTarget {
  url: string
  /** The name or address in the URL */
  host: string
  addresses: HostAddresses
}

export interface ExchangeWatch {
  /** Ends the request, even during the response */
  signal: AbortSignal
  /** Called at the end of the TLS handshake with its CPU time in milliseconds */
  charge: (usedMs: number) => void
}

export interface OutboundRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  watch: ExchangeWatch
}

/**
 * Opens a request to one of the checked addresses. Redirects are not followed, and an answer in too many pieces ends it
 * with a CostlyAnswer.
 */
export function openRequest(
  target: OutboundTarget,
  options: OutboundRequest,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const request = open(target, options)
  boundAnswer(request, onResponse)
  return request
}

function open(
  { url: address, host, addresses }: OutboundTarget,
  { watch: { signal, charge }, ...request }: OutboundRequest,
): ClientRequest {
  const options = { ...request, signal }
  const url = new URL(address)
  const lookup = answerWith(addresses)
  // No connection is kept alive: an idle one would stay open although no request needs it.
  if (url.protocol === 'http:') return requestHttp(url, { ...options, agent: false, lookup })
  const defaultPort = 443
  const to = { host, port: Number(url.port || defaultPort), lookup, signal, charge }
  const createConnection = (
    _options: object,
    onConnection: Parameters<typeof connectSecurely>[1],
  ) => void connectSecurely(to, onConnection)
  return requestHttps(url, { ...options, defaultPort, createConnection })
}

function answerWith(addresses: HostAddresses): LookupFunction {
  return (_hostname, { all = false }, callback) => {
    const [{ address, family }] = addresses
    if (all) callback(null, addresses)
    else callback(null, address, family)
  }
}
