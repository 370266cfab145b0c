import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { TrustProxy } from './settings/trust-proxy.ts'

/**
 * Finds the address of the client in `X-Forwarded-For`: from the right, the first one that is not a trusted proxy. Entries
 * further left may be forged.
 */
export function findClientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusts: TrustProxy,
): string | undefined {
  let address = socket.remoteAddress
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').toReversed()
  for (const [hop, entry] of forwarded.entries()) {
    if (address === undefined || !trusts(address, hop)) return address
    const before = readAddress(entry)
    // Not an address: the proxy that sent it is the last known one.
    if (before === undefined) return address
    address = before
  }
  return address
}

/** Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function readAddress(entry: string): string | undefined {
  const text = entry.trim()
  const [, inBrackets] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? []
  const address = inBrackets ?? beforePort ?? text
  return isIP(address) === 0 ? undefined : address
}
