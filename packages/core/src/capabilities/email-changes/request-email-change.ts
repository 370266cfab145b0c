import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { emailSchema } from '../../user-model/email-address.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { Mail } from '../users/mail.ts'
import { mailAfter } from '../users/mail-after.ts'
import {
  confirmLifeSeconds,
  toEmailChangeTarget,
  toNewEmailTarget,
  undoLifeSeconds,
} from './change-life.ts'
import type { EmailChangesServices } from './services.ts'

export const emailChangeRequestSchema = z
  .strictObject({ email: emailSchema, locale: localeSchema.optional() })
  .meta({ id: 'EmailChangeRequest' })

type EmailChangeRequest = z.output<typeof emailChangeRequestSchema>

const unchanged = {
  pointer: '/email',
  code: 'value',
  message: 'is the address of the user already',
}

/**
 * Mails a token to the new address, which confirms the change, and another to the present one, which takes it back. An
 * earlier change that is not confirmed ends. Nothing asks whether another user has the new address: that is told at the
 * confirmation, to its owner.
 *
 * @throws ClienteleError `user_not_found`, `user_inactive`, `validation_failed`, `mail_unavailable`, `rate_limited`,
 *   `overloaded`
 */
export async function requestEmailChange(
  services: EmailChangesServices,
  call: Call,
  userId: string,
  { email, locale }: EmailChangeRequest,
): Promise<void> {
  const { loginThrottle, sendMail } = services
  const { accountId } = call
  await findUser(services, call, userId)
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  await mailAfter(services, call, { kind: 'email_change', sendMail }, async () => {
    await loginThrottle.take('reset', { accountId, target: toEmailChangeTarget(userId) })
    await loginThrottle.take('reset', { accountId, target: toNewEmailTarget(email) })
    const mails = await storeChange(services, call, userId, { email, locale })
    return { result: undefined, mails }
  })
}

/** Stores the change, and returns the mails that have its tokens. */
async function storeChange(
  services: EmailChangesServices,
  call: Call,
  userId: string,
  { email, locale }: EmailChangeRequest,
): Promise<Mail[]> {
  const { repository, events, clock } = services
  const { accountId } = call
  const [confirmToken, undoToken] = [createOpaqueToken(), createOpaqueToken()]
  const now = clock()
  const requested = await repository.emailChanges.request(
    accountId,
    userId,
    {
      email,
      confirmHash: hashOpaqueToken(confirmToken),
      confirmExpiresAt: now + confirmLifeSeconds * 1000,
      undoHash: hashOpaqueToken(undoToken),
      undoExpiresAt: now + undoLifeSeconds * 1000,
    },
    (user) => newEvent(services, call, 'user.email_change_requested', userId, {}, { user }),
  )
  if (requested === 'email_unchanged') throw invalidInput([unchanged])
  if (typeof requested === 'string') throw new ClienteleError(requested)
  events.emit(requested.event)
  const about = { accountId, user: toClientUser(requested.user), locale }
  return [
    {
      ...{ kind: 'email_change_notice', ...about, to: requested.user.email },
      ...{ token: undoToken, expiresInSeconds: undoLifeSeconds },
    },
    {
      ...{ kind: 'email_change', ...about, to: email },
      ...{ token: confirmToken, expiresInSeconds: confirmLifeSeconds },
    },
  ]
}
