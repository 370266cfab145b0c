import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'

/**
 * Ends the account's trust in an issuer: its tokens are refused here at once, in other processes within seconds.
 *
 * @throws ClienteleError `issuer_not_found`
 */
export async function deleteIssuer(
  { repository, trustedIssuers, events }: Services,
  call: Call,
  issuerId: string,
): Promise<void> {
  const issuer = await repository.trustedIssuers.delete(call.accountId, issuerId)
  trustedIssuers.forget(call.accountId)
  if (issuer === undefined) throw new ClienteleError('issuer_not_found')
  events.emit('issuer.deleted', { ...originOf(call), issuerId, issuer })
}
