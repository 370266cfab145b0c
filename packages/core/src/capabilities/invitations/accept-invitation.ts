import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { newEvent } from '../events/new-event.ts'
import { hashFor } from '../passwords/hash-for.ts'
import { createProofEvents } from '../users/proof-events.ts'
import { type CheckedAccept, checkAccountRules } from '../users/user-input.ts'
import type { InvitationsServices } from './services.ts'

const passwordMissing = { pointer: '/password', code: 'required', message: 'is required' }

/**
 * Accepts an invitation with its mailed token: sets the user's password and verifies the address. The first proof of the
 * address also ends everything that was enrolled before it.
 *
 * @throws ClienteleError `invitation_invalid`, `validation_failed`, `overloaded`
 */
export async function acceptInvitation(
  services: InvitationsServices,
  call: Call,
  { token, password }: CheckedAccept,
): Promise<void> {
  const { repository, passwordPolicy, clock, events, loginThrottle, logger } = services
  const { accountId, requestId, clientAddress } = call
  const hash = hashOpaqueToken(token)
  // This look-up decides nothing: it only saves the cost of a hash when the token is invalid.
  const userId = await repository.invitations.find(accountId, hash, clock())
  if (userId === undefined) throw new ClienteleError('invitation_invalid')
  const account = await findAccountRules(services, call)
  if (password === undefined && account.passwordRequired) throw invalidInput([passwordMissing])
  await checkAccountRules(account, passwordPolicy, { roles: [], password })
  const passwordHash = password === undefined ? null : await hashFor(services, call, password)
  const data = {
    changed: ['password' as const],
    keptSessionId: undefined,
    revokedTokens: undefined,
  }
  const updated = newEvent(services, byUser(call, userId), 'user.updated', userId, data)
  const accepted = await repository.invitations.accept(accountId, hash, passwordHash, clock(), {
    updated,
    ...createProofEvents(services, call),
  })
  if (accepted === undefined) throw new ClienteleError('invitation_invalid')
  if (passwordHash !== null) events.emit(updated, accepted.user)
  for (const event of accepted.told) events.emit(event)
  // Failed guesses of attackers must not lock the user out.
  await loginThrottle
    .succeed('login', { accountId, target: userId, clientAddress })
    .catch((error: unknown) =>
      logger.warn(
        { accountId, requestId, error },
        'The count of failed sign-ins could not be reset after an invitation.',
      ),
    )
}
