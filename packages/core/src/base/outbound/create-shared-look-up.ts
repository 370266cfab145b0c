import { FairLimit } from '../runtime/fair-limit.ts'
import { type HostAddresses, type LookUp, lookUpHost } from './look-up-host.ts'

// In milliseconds
/** How long an answer is used */
const freshMs = 5_000
/** How long it serves while the next one is awaited */
const staleMs = 15_000
const limitMs = 20_000

/** Names that accounts have chosen, with slow DNS servers, must not delay those of the operator. */
const questions = new FairLimit({
  atOnce: 1,
  maxWaiting: 100,
  retryAfterSeconds: 5,
})

/**
 * Makes a look-up for one name, which the operator has chosen. All who need it share one question at a time and its answer for some
 * seconds.
 */
export function createSharedLookUp(): LookUp {
  let known: { addresses: HostAddresses; at: number } | undefined
  let asked: Promise<HostAddresses> | undefined

  async function ask(hostname: string): Promise<HostAddresses> {
    const signal = AbortSignal.timeout(limitMs)
    const options = { accountId: '', allowPrivateAddresses: true, signal }
    try {
      const addresses = await lookUpHost(hostname, options, questions)
      known = { addresses, at: performance.now() }
      return addresses
    } finally {
      asked = undefined
    }
  }

  return async (hostname) => {
    const age = known === undefined ? staleMs : performance.now() - known.at
    if (known !== undefined && age < freshMs) return known.addresses
    asked ??= ask(hostname)
    if (known === undefined || age >= staleMs) return asked
    // Who needs it once the old answer has served its time gets the error.
    asked.catch(() => {})
    return known.addresses
  }
}
