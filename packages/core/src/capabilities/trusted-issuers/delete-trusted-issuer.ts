import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { TrustedIssuersServices } from './services.ts'

/**
 * Ends the account's trust in an issuer: its tokens are refused here at once, in other processes within seconds.
 *
 * @throws ClienteleError `issuer_not_found`
 */
export async function deleteIssuer(
  services: TrustedIssuersServices,
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
