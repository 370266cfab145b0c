import type { Call } from '../base/call/call.ts'
import { whileAdmitted } from '../base/call/while-admitted.ts'
import type { FairLimit } from '../base/runtime/fair-limit.ts'
import type { ScimRoutesServices } from './services.ts'

/**
 * Runs what reads many resources: first in the turn of its account, then in a place of its kind. So an account holds or waits for
 * one place, and has read nothing before.
 *
 * @throws ClienteleError `overloaded` when a thousand of the account wait
 */
export function readInTurn<T>(
  { scimReads }: ScimRoutesServices,
  call: Call,
  places: FairLimit,
  read: () => Promise<T>,
): Promise<T> {
  return scimReads.run(
    call.accountId,
    whileAdmitted(call, () => places.run(call.accountId, whileAdmitted(call, read))),
  )
}
