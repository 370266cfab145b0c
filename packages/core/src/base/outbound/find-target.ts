import type { OutboundTarget } from './exchange/open-request.ts'
import { type LookUp, type LookUpOptions, lookUpHost } from './look-up-host.ts'
import { findUrlProblem, hostOf } from './outbound-url.ts'

/** The URL itself is not allowed. */
export class UrlRefused extends Error {}

/**
 * Resolves a URL chosen by another party.
 *
 * @throws UrlRefused; HostRefused when an address of its name is not allowed; Error when the name has no address;
 *   ClienteleError `overloaded` when too many lookups wait
 */
export async function findTarget(
  address: string,
  options: LookUpOptions,
  lookUp: LookUp = lookUpHost,
): Promise<OutboundTarget> {
  const problem = findUrlProblem(address, options.allowPrivateAddresses)
  if (problem !== undefined) throw new UrlRefused(`The address ${problem}.`)
  const url = new URL(address)
  const host = hostOf(url)
  return { url: url.href, host, addresses: await lookUp(host, options) }
}
