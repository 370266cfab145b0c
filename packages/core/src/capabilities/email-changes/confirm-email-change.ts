import { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { createProofEvents } from '../users/proof-events.ts'
import { changeEmail } from './change-email.ts'
import type { EmailChangesServices } from './services.ts'

export const emailChangeTokenSchema = z
  .strictObject({ token: givenOpaqueTokenSchema })
  .meta({ id: 'EmailChangeToken' })

export type EmailChangeToken = z.output<typeof emailChangeTokenSchema>

/**
 * Gives the user the new address, which is verified by the token that was mailed to it. If no address of the user was
 * verified before, it is the first proof of one: it ends everything but the password.
 *
 * @throws ClienteleError `email_change_invalid`, `email_taken`, `overloaded`; `refused_by_hook`, `hook_unavailable`
 */
export async function confirmEmailChange(
  services: EmailChangesServices,
  call: Call,
  { token }: EmailChangeToken,
): Promise<void> {
  const { repository, clock } = services
  const hash = hashOpaqueToken(token)
  const found = await repository.emailChanges.findOpen(call.accountId, hash, clock())
  if (found === undefined) throw new ClienteleError('email_change_invalid')
  const { userId, email, formerEmail } = found
  await changeEmail(services, byUser(call, userId), {
    userId,
    email,
    formerEmail,
    write: (replacement) =>
      repository.emailChanges.confirm(replacement, hash, createProofEvents(services, call)),
  })
}
