import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network that a client's address counts for, in one spelling: an IPv4 address, also when it is written as IPv6,
 * or the /64 of an IPv6 address, which one client has all of. Anything else counts as it is written.
 */
export function toClientNetwork(address: string): string {
  const [plain = ''] = address.trim().toLowerCase().split('%')
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return plain
  // The URL parser brings every spelling to one (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const groups = expand(canonical)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

function expand(canonical: string): number[] {
  const [head = '', tail] = canonical.split('::')
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const first = parse(head)
  const last = tail === undefined ? [] : parse(tail)
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}
