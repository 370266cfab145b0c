import type { Call } from '../base/call/call.ts'
import { whileAdmitted } from '../base/call/while-admitted.ts'
import type { TimeShare } from '../base/runtime/time-share.ts'
import type { ScimRoutesServices } from './services.ts'

/** The estimate of a page or search that has not ended, in milliseconds */
const expectedMs = 100

/**
 * Runs what reads many resources: first in the turn of its account, then in a place of its kind. So an account holds or waits for
 * one place, and has read nothing before.
 *
 * @throws ClienteleError `overloaded` when a thousand of the account wait
 */
export function readInTurn<T>(
  { scimReads }: ScimRoutesServices,
  call: Call,
  places: TimeShare,
  read: () => Promise<T>,
): Promise<T> {
  return scimReads.run(
    call.accountId,
    whileAdmitted(call, () => places.run(call.accountId, expectedMs, whileAdmitted(call, read))),
  )
}
