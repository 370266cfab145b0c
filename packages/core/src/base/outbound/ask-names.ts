import { type LookupAddress, lookup, promises } from 'node:dns'

/** How long a DNS server has for its answer, at the first of two tries, in milliseconds */
const serverMs = 2_000

/**
 * Asks the DNS servers that this machine is told of. It takes no thread, and ends when nobody wants the answer any more.
 * What only this machine knows, as names in its hosts file, is not found.
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
 * Asks the system, which knows of every name that any program here finds. It takes one of four threads, which password
 * hashes need too, until there is an answer, wanted or not.
 */
export function askSystem(hostname: string): Promise<LookupAddress[]> {
  // `lookup` of `node:dns/promises` would be another function than the one that a host may have wrapped.
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
