import { z } from 'zod'
import { byUser, type Call } from '../call.ts'
import { hashOpaqueToken } from '../crypto/opaque-token.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import { givenOpaqueTokenSchema } from '../input/opaque-tokens.ts'
import type { Services } from '../services.ts'

export const confirmEmailSchema = z
  .strictObject({ token: givenOpaqueTokenSchema })
  .meta({ id: 'ConfirmEmail' })

/**
 * Notes by a mailed token that the user has the address.
 *
 * @throws ClienteleError `verification_token_invalid`
 */
export async function verifyEmail(
  services: Services,
  call: Call,
  { token }: z.output<typeof confirmEmailSchema>,
): Promise<void> {
  const { repository, clock, events } = services
  const event = await repository.emailTokens.verifyEmail(
    call.accountId,
    hashOpaqueToken(token),
    clock(),
    (user) =>
      newEvent(services, byUser(call, user.id), 'user.email_verified', user.id, {}, { user }),
  )
  if (event === undefined) throw new ClienteleError('verification_token_invalid')
  events.emit(event)
}
