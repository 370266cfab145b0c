import { type LookupAddress, lookup, promises } from 'node:dns'

/** The timeout of a DNS query in milliseconds, for the first of two tries */
const serverMs = 2_000

/**
 * Asks the DNS servers that this machine is configured with. It takes no thread and can be cancelled. Names that only
 * this machine knows, such as those in its hosts file, are not found.
 */
export async function askDns(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: serverMs, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
    return [...listAddresses(ipv4, 4), ...listAddresses(ipv6, 6)]
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/**
 * Asks the operating system, which finds every name that other programs on this machine find. It occupies one of four
 * threads, which password hashes need too, until the answer comes; it cannot be cancelled.
 */
export function askSystem(hostname: string): Promise<LookupAddress[]> {
  // `lookup` of `node:dns/promises` would bypass a host's wrapper around this one.
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses)
      else reject(error)
    })
  })
}

function listAddresses(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (answer.status === 'rejected') return []
  return answer.value.map((address) => ({ address, family }))
}
