import { type Call, originOf } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'

/** @throws ClienteleError `api_key_not_found` */
export async function revokeApiKey(
  { repository, events, clock }: Services,
  call: Call,
  keyId: string,
): Promise<void> {
  const found = await repository.apiKeys.revoke(call.accountId, keyId, clock())
  if (!found) throw new ClienteleError('api_key_not_found')
  events.emit('api_key.revoked', { ...originOf(call), apiKeyId: keyId })
}
