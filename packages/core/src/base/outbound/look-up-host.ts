import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { FairLimit } from '../runtime/fair-limit.ts'
import { askDns, askSystem } from './ask-names.ts'
import { findAddressProblem } from './outbound-addresses.ts'

/** For each question two sockets are open. */
const dnsQuestions = new FairLimit({
  atOnce: 64,
  atOncePerKey: 16,
  maxWaiting: 100,
  retryAfterSeconds: 5,
})
/** Each holds a thread for as long as a name's server likes. */
const systemQuestions = new FairLimit({
  atOnce: 2,
  atOncePerKey: 1,
  maxWaiting: 100,
  retryAfterSeconds: 5,
})

export interface LookUpOptions {
  /** Whom the name is looked up for: accounts take turns. */
  accountId: string
  /** Allows private and loopback addresses, and asks the system instead of the DNS: it knows names of closed networks. */
  allowPrivateAddresses: boolean
  /** Gives it up */
  signal: AbortSignal
}

/** What a name leads to: all of it may be connected to. */
export type HostAddresses = [LookupAddress, ...LookupAddress[]]

export class HostRefused extends Error {
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
 * @throws HostRefused; ClienteleError `overloaded` when it was not its turn in time; Error when it has no address
 */
export async function lookUpHost(hostname: string, options: LookUpOptions): Promise<HostAddresses> {
  const [first, ...others] = await ask(hostname, options)
  if (first === undefined) throw new Error('The name has no address.')
  for (const { address } of [first, ...others]) {
    const problem = findAddressProblem(address, options.allowPrivateAddresses)
    if (problem !== undefined) throw new HostRefused(problem)
  }
  return [first, ...others]
}

function ask(
  hostname: string,
  { accountId, allowPrivateAddresses, signal }: LookUpOptions,
): Promise<LookupAddress[]> {
  const family = isIP(hostname)
  if (family !== 0) return Promise.resolve([{ address: hostname, family }])
  const [questions, answer] = allowPrivateAddresses
    ? [systemQuestions, askSystem]
    : [dnsQuestions, askDns]
  return new Promise((resolve, reject) => {
    const begin = () => {
      // Who gives it up goes at once, also where the question itself can't be ended.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      return answer(hostname, signal).then(resolve, reject)
    }
    questions.run(accountId, begin, signal).catch(reject)
  })
}

/**
 * What a name leads to that must not be connected to; undefined when it may be, and also when it has no address yet, or
 * none in time: each connection asks again.
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
