import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { Services } from '../../clientele/services.ts'
import { newEvent } from '../events/new-event.ts'

/**
 * Ends the account's trust in an issuer: its tokens are refused here at once, in other processes within seconds.
 *
 * @throws ClienteleError `issuer_not_found`
 */
export async function deleteIssuer(
  services: Services,
  call: Call,
  issuerId: string,
): Promise<void> {
  const { repository, trustedIssuers, events } = services
  const event = await repository.trustedIssuers.delete(call.accountId, issuerId, (issuer) =>
    newEvent(services, call, 'issuer.deleted', issuerId, { issuer }),
  )
  trustedIssuers.forget(call.accountId)
  if (event === undefined) throw new ClienteleError('issuer_not_found')
  events.emit(event)
}
