import type { OutboundTarget } from './exchange/open-request.ts'
import { type LookUpOptions, lookUpHost } from './look-up-host.ts'
import { findUrlProblem, hostOf } from './outbound-url.ts'

/**
 * Resolves a URL chosen by another party.
 *
 * @throws Error when `findUrlProblem` refuses the URL, or an address of its name is not allowed; ClienteleError
 *   `overloaded` when too many lookups wait
 */
export async function findTarget(address: string, options: LookUpOptions): Promise<OutboundTarget> {
  const problem = findUrlProblem(address, options.allowPrivateAddresses)
  if (problem !== undefined) throw new Error(`The address ${problem}.`)
  const url = new URL(address)
  const host = hostOf(url)
  return { url: url.href, host, addresses: await lookUpHost(host, options) }
}
