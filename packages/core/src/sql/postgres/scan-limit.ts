import { FairLimit } from '../../base/runtime/fair-limit.ts'

/** How many reads that walk through an account run at once: a third of the default pool size. */
const atOnce = 3
/** How many of them one account may have: another account does not wait until one of them has ended. */
const atOncePerAccount = 2
/** How many of them may wait per account */
const maxWaiting = 100

/** Bounds the long reads of one server, so that connections are left for short ones. The key is the account. */
export function createScanLimit(): FairLimit {
  return new FairLimit({ atOnce, atOncePerKey: atOncePerAccount, maxWaiting, retryAfterSeconds: 2 })
}
