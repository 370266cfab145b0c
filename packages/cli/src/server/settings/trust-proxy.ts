import { BlockList, isIP } from 'node:net'

/** Whether an address is a trusted proxy; `hops` counts from the connected peer, which is 0. */
export type TrustProxy = (address: string, hop: number) => boolean

/** How many proxies are counted, or read, at most */
export const maxHops = 20

/** Names of common networks. */
const named = new Map(
  Object.entries({
    loopback: ['127.0.0.0/8', '::1/128'],
    linklocal: ['169.254.0.0/16', 'fe80::/10'],
    uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  }),
)

const rule = `must be the number of proxies (0 to ${maxHops}), or a comma-separated list of addresses, networks (10.0.0.0/8), loopback, linklocal and uniquelocal`

/** Reads the trusted proxies: a number of hops, or their addresses. */
export function readTrustProxy(text: string): TrustProxy {
  if (/^[0-9]+$/.test(text)) {
    const hops = Number(text)
    if (hops > maxHops) throw new Error(rule)
    return (_address, hop) => hop < hops
  }
  const trusted = new BlockList()
  for (const entry of text.split(',').map((each) => each.trim())) {
    for (const network of named.get(entry) ?? [entry]) addNetwork(trusted, network)
  }
  return (address) => trusted.check(address, familyOf(address))
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', length, ...rest] = network.split('/')
  const longest = isIP(address) === 4 ? 32 : 128
  const bits = length === undefined ? longest : Number(length)
  const isLength = length === undefined || /^[0-9]{1,3}$/.test(length)
  if (isIP(address) === 0 || !isLength || bits > longest || rest.length > 0) throw new Error(rule)
  list.addSubnet(address, bits, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
