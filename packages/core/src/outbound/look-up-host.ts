import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import pTimeout from 'p-timeout'
import { FairLimit } from '../runtime/fair-limit.ts'
import { findAddressProblem } from './outbound-addresses.ts'

/**
 * A look-up takes a thread of four, which password hashes need too, for as long as a name's server likes: no more than
 * two at once are of others' names.
 */
const lookUps = new FairLimit({ atOnce: 2, maxWaiting: 1_000, retryAfterSeconds: 5 })

class HostRefused extends Error {
  /** What the name leads to */
  readonly problem: string

  constructor(problem: string) {
    super(`The name leads to ${problem}.`)
    this.problem = problem
  }
}

/**
 * Looks a name up, and refuses it when any of its addresses is not allowed.
 *
 * @throws HostRefused
 */
async function lookUpHost(
  hostname: string,
  options: LookupOptions,
  allowPrivate: boolean,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await lookUps.run(hostname, () => lookUp(hostname, options))
  const [first, ...others] = addresses
  if (first === undefined) throw new Error('The name has no address.')
  for (const { address } of addresses) {
    const problem = findAddressProblem(address, allowPrivate)
    if (problem !== undefined) throw new HostRefused(problem)
  }
  return [first, ...others]
}

// `lookup` of `node:dns/promises` would be another function than the one that a host may have wrapped.
function lookUp(hostname: string, options: LookupOptions): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error === null) resolve(addresses)
      else reject(error)
    })
  })
}

/** For a connection: refuses names that lead where nothing may; what was checked is what is connected to. */
export function createLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookUpHost(hostname, options, allowPrivate).then(
      (addresses) => {
        const [{ address, family }] = addresses
        if (options.all === true) callback(null, addresses)
        else callback(null, address, family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

/**
 * What a name leads to that must not be connected to; undefined when it may be, and also when it has no address yet, or
 * none in time: each connection asks again.
 */
export async function findHostProblem(
  hostname: string,
  allowPrivate: boolean,
  timeoutMs: number,
): Promise<string | undefined> {
  const check = lookUpHost(hostname, {}, allowPrivate).then(
    () => undefined,
    (error: unknown) => (error instanceof HostRefused ? error.problem : undefined),
  )
  return pTimeout(check, { milliseconds: timeoutMs, fallback: () => undefined })
}
