import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { createProofEvents } from '../users/proof-events.ts'
import { changeEmail } from './change-email.ts'
import type { EmailChangeToken } from './confirm-email-change.ts'
import type { EmailChangesServices } from './services.ts'

/**
 * Cancels a change that is not confirmed. A confirmed one is taken back: the user gets the former address, every session
 * and credential but the password ends, and the password expires.
 *
 * @throws ClienteleError `email_change_invalid`, `email_taken`, `overloaded`; `refused_by_hook`, `hook_unavailable`
 */
export async function undoEmailChange(
  services: EmailChangesServices,
  call: Call,
  { token }: EmailChangeToken,
): Promise<void> {
  const { repository, events, clock } = services
  const { accountId } = call
  const hash = hashOpaqueToken(token)
  const found = await repository.emailChanges.findUndoable(accountId, hash, clock())
  if (found === undefined) throw new ClienteleError('email_change_invalid')
  const { userId, email, isConfirmed } = found
  const ofUser = byUser(call, userId)
  if (!isConfirmed) {
    const cancelled = await repository.emailChanges.cancel(accountId, userId, hash, (user) =>
      newEvent(services, ofUser, 'user.email_change_cancelled', userId, {}, { user }),
    )
    if (cancelled !== undefined) {
      events.emit(cancelled)
      return
    }
    // It was confirmed meanwhile, or has ended.
  }
  await changeEmail(services, ofUser, {
    userId,
    email,
    write: (replacement) =>
      repository.emailChanges.undo(replacement, hash, {
        ...createProofEvents(services, call),
        userTokensRevoked: (_, tokenIds) => {
          const data = { tokenIds, reason: 'email_change_undone' as const }
          return newEvent(services, ofUser, 'user_token.revoked', userId, data)
        },
        passwordExpired: newEvent(services, ofUser, 'user.password_expired', userId, {}),
      }),
  })
}
