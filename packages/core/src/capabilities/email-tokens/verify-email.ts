import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { createProofEvents } from '../users/proof-events.ts'
import type { EmailTokensServices } from './services.ts'

export const confirmEmailSchema = z
  .strictObject({ token: givenOpaqueTokenSchema })
  .meta({ id: 'ConfirmEmail' })

/**
 * Verifies the user's address with an e-mail token. The first proof of an address ends all earlier sessions, second
 * factors, passkeys, identities and e-mail tokens; the password stays.
 *
 * @throws ClienteleError `verification_token_invalid`
 */
export async function verifyEmail(
  services: EmailTokensServices,
  call: Call,
  { token }: z.output<typeof confirmEmailSchema>,
): Promise<void> {
  const { repository, clock, events } = services
  const hash = hashOpaqueToken(token)
  const proof = createProofEvents(services, call)
  const told = await repository.emailTokens.verifyEmail(call.accountId, hash, clock(), proof)
  if (told === undefined) throw new ClienteleError('verification_token_invalid')
  for (const event of told) events.emit(event)
}
