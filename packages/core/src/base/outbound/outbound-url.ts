import { findAddressProblem, howToAllow, isAddress, privateNetwork } from './outbound-addresses.ts'

/** Names of cloud services that hand out credentials to any caller */
const metadataNames = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
])
/** Names of this machine and its local network (RFC 6761, RFC 6762, RFC 8375) */
const privateNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/**
 * Why a URL must not be requested on behalf of others, judging by its text; undefined when it is allowed. The addresses
 * of its name are checked on connecting.
 *
 * @param allowPrivate allows http, and private and loopback addresses; metadata services never are
 */
export function findUrlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text)
  if (url === null) return 'must be a URL'
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol))
    return `must begin with https://${url.protocol === 'http:' ? `, not http:// ${howToAllow}` : ''}`
  if (url.username !== '' || url.password !== '') return 'must not have credentials in it'
  const host = hostOf(url)
  const problem = isAddress(host)
    ? findAddressProblem(host, allowPrivate)
    : findNameProblem(host, allowPrivate)
  return problem && `must not lead to ${problem}`
}

/** The name or address in a URL, in the form that is looked up. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function findNameProblem(name: string, allowPrivate: boolean): string | undefined {
  const absolute = name.replace(/\.$/, '')
  if (metadataNames.has(absolute)) return 'a link-local, metadata or reserved address'
  return !allowPrivate && privateNames.test(absolute) ? privateNetwork : undefined
}
