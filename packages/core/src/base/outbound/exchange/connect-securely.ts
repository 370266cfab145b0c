import { constants } from 'node:crypto'
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { HandshakeStream } from './handshake-stream.ts'

export interface SecureDestination {
  /** A name, or an address */
  host: string
  port: number
  lookup: LookupFunction
  /** Ends the connection */
  signal: AbortSignal
  /** Called at the end of the handshake with its CPU time in milliseconds */
  charge: (usedMs: number) => void
}

type OnConnection = (error: Error | null, socket: TLSSocket) => void

let secureContext: SecureContext | undefined

/**
 * Connects by TLS to a server chosen by another party, and calls back when the handshake is done. A handshake that is
 * too costly fails with CostlyHandshake.
 */
export function connectSecurely(
  { host, port, lookup, signal, charge }: SecureDestination,
  onConnection: OnConnection,
): void {
  const socket = connectTcp({ host, port, lookup, signal })
  const stream = new HandshakeStream(socket)
  const secure = connectTls({
    socket: stream,
    host,
    // A server name is never an address (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    secureContext: findContext(),
  })
  const refuse = (error: Error) => {
    stream.endHandshake(charge)
    onConnection(stream.problem ?? error, secure)
  }
  secure.once('error', refuse)
  secure.once('secureConnect', () => {
    const { problem } = stream
    if (problem !== undefined) {
      secure.destroy(problem)
      return
    }
    stream.endHandshake(charge)
    secure.off('error', refuse)
    onConnection(null, secure)
  })
  secure.once('close', () => {
    stream.endHandshake(charge)
    stream.destroy()
  })
}

/**
 * Forbids the costly parts of a handshake: a server's own numbers for Diffie-Hellman (of up to 10,000 bits), and
 * further handshakes that the server requests.
 */
function findContext(): SecureContext {
  secureContext ??= createSecureContext({
    ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
  return secureContext
}
