import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { maxHops, type TrustProxy } from './settings/trust-proxy.ts'

/**
 * Finds the address of the client in `X-Forwarded-For`: from the right, the first one that is not a trusted proxy, or the
 * twentieth. Entries further left may be forged, and are not read: there may be thousands.
 */
export function findClientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusts: TrustProxy,
): string | undefined {
  let address = socket.remoteAddress
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',')
  let end = forwarded.length
  for (let hop = 0; hop < maxHops && end >= 0; hop++) {
    if (address === undefined || !trusts(address, hop)) return address
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1)
    const before = readAddress(forwarded.slice(comma + 1, end))
    end = comma
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
