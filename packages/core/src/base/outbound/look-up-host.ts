import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { FairLimit } from '../runtime/fair-limit.ts'
import { askDns, askSystem } from './ask-names.ts'
import { findAddressProblem } from './outbound-addresses.ts'

/** Each query opens two sockets. */
const dnsQuestions = new FairLimit({
  atOnce: 64,
  atOncePerKey: 16,
  maxWaiting: 100,
  retryAfterSeconds: 5,
})
/** A slow name server can hold a lookup's thread for long. */
const systemQuestions = new FairLimit({
  atOnce: 2,
  atOncePerKey: 1,
  maxWaiting: 100,
  retryAfterSeconds: 5,
})

/**
 * How many addresses of each family are used: a name may have thousands, and each is checked on the event loop. Others
 * are never connected to.
 */
const maxOfFamily = 16

export interface LookUpOptions {
  /** The account that the lookup is for: accounts take turns. */
  accountId: string
  /**
   * Allows private and loopback addresses, and asks the system instead of the DNS: the system knows names of closed
   * networks.
   */
  allowPrivateAddresses: boolean
  /** Cancels the lookup */
  signal: AbortSignal
}

/** The addresses of the name; all of them are allowed */
export type HostAddresses = [LookupAddress, ...LookupAddress[]]

export type LookUp = (hostname: string, options: LookUpOptions) => Promise<HostAddresses>

export class HostRefused extends Error {
  /** The address that is not allowed */
  readonly problem: string

  constructor(problem: string) {
    super(`The name leads to ${problem}.`)
    this.problem = problem
  }
}

/**
 * Looks up a name, and refuses it when any of its first addresses is not allowed.
 *
 * @param questions where the question takes its turn. @default that of names that accounts have chosen
 * @throws HostRefused; ClienteleError `overloaded` when the lookup waited too long for its turn; Error when the name
 *   has no address
 */
export async function lookUpHost(
  hostname: string,
  options: LookUpOptions,
  questions: FairLimit = options.allowPrivateAddresses ? systemQuestions : dnsQuestions,
): Promise<HostAddresses> {
  const [first, ...others] = takeFirst(await ask(hostname, options, questions))
  if (first === undefined) throw new Error('The name has no address.')
  for (const { address } of [first, ...others]) {
    const problem = findAddressProblem(address, options.allowPrivateAddresses)
    if (problem !== undefined) throw new HostRefused(problem)
  }
  return [first, ...others]
}

/** The first addresses of each family, in their order. */
function takeFirst(addresses: LookupAddress[]): LookupAddress[] {
  const counts = new Map<number, number>()
  return addresses.filter(({ family }) => {
    const count = (counts.get(family) ?? 0) + 1
    counts.set(family, count)
    return count <= maxOfFamily
  })
}

function ask(
  hostname: string,
  { accountId, allowPrivateAddresses, signal }: LookUpOptions,
  questions: FairLimit,
): Promise<LookupAddress[]> {
  const family = isIP(hostname)
  if (family !== 0) return Promise.resolve([{ address: hostname, family }])
  const answer = allowPrivateAddresses ? askSystem : askDns
  return new Promise((resolve, reject) => {
    const begin = () => {
      // A cancelled caller returns at once, even when the query itself cannot be cancelled.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      return answer(hostname, signal).then(resolve, reject)
    }
    questions.run(accountId, begin, signal).catch(reject)
  })
}

/**
 * The forbidden address that a name leads to; undefined when all addresses are allowed, or when none is found in time:
 * each connection looks it up again.
 */
export async function findHostProblem(
  hostname: string,
  options: LookUpOptions,
): Promise<string | undefined> {
  try {
    await lookUpHost(hostname, options)
    return undefined
  } catch (error) {
    return error instanceof HostRefused ? error.problem : undefined
  }
}
