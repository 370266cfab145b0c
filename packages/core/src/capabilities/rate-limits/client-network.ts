import ipaddr from 'ipaddr.js'

const { IPv4, IPv6 } = ipaddr

/**
 * The network that a client's address counts for, in one spelling: an IPv4 address, also when it is written as IPv6, or
 * the /64 of an IPv6 address, which one client may control entirely. Any other text counts as written.
 */
export function toClientNetwork(address: string): string {
  const text = address.trim().toLowerCase()
  if (IPv4.isValidFourPartDecimal(text)) return text
  if (!IPv6.isValid(text)) return text
  const parsed = ipaddr.process(text)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`
}
