import { findAddressProblem, howToAllow, isAddress, privateNetwork } from './outbound-addresses.ts'

/** Names under which clouds answer with credentials to whoever asks */
const metadataNames = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
])
/** Names that mean this machine, or one beside it (RFC 6761, RFC 6762, RFC 8375) */
const privateNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/**
 * Why a URL can't be asked on behalf of others, by what it says itself; undefined when it can. What its name resolves to
 * is looked at when it is connected to.
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

/** The name or address that a URL leads to, as it is looked up. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function findNameProblem(name: string, allowPrivate: boolean): string | undefined {
  const absolute = name.replace(/\.$/, '')
  if (metadataNames.has(absolute)) return 'a link-local, metadata or reserved address'
  return !allowPrivate && privateNames.test(absolute) ? privateNetwork : undefined
}
