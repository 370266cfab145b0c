import ipaddr from 'ipaddr.js'

/** Ranges that are allowed only if private addresses are. */
const privateRanges = ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']

/** How an operator allows a refused address; ends the message. */
export const howToAllow =
  '(allowed by ALLOW_PRIVATE_ADDRESSES=true, allowPrivateAddresses in createClientele)'
/** A private address, or a name that means one */
export const privateNetwork = `a private network ${howToAllow}`

/** Services outside the link-local ranges that hand out credentials to any caller. */
const metadataAddresses = new Set([
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:42::42', // Scaleway
  'fd00:ec2::23', // AWS, credentials of pods
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
])

/** Public IPv6 addresses; all others are private, reserved, or lead to an IPv4 address. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3')

/** Whether a URL's host is an address, not a name. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host)
}

/**
 * Why an address must not be connected to on behalf of others; undefined when it is allowed.
 *
 * @param allowPrivate allows private and loopback addresses; link-local, metadata and reserved ones never are
 */
export function findAddressProblem(address: string, allowPrivate: boolean): string | undefined {
  const closed = 'a link-local, metadata or reserved address'
  if (!ipaddr.isValid(address)) return closed
  // An IPv4 address that is written as IPv6 follows the rules of IPv4.
  const parsed = ipaddr.process(address)
  if (metadataAddresses.has(parsed.toString())) return closed
  const range = parsed.range()
  if (privateRanges.includes(range)) return allowPrivate ? undefined : privateNetwork
  const isPublic = range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalIpv6))
  return isPublic ? undefined : closed
}
