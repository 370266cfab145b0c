import { byUser, type Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { newEvent } from '../events/new-event.ts'
import { mailsTo } from '../mfa/mail-mfa-code.ts'
import { hashFor } from '../passwords/hash-for.ts'
import { createProofEvents } from '../users/proof-events.ts'
import { type CheckedReset, checkAccountRules } from '../users/user-input.ts'
import type { EmailTokensServices } from './services.ts'

/**
 * Sets a new password with an e-mail token, which also proves the address. Every session, challenge and other e-mail
 * token of the user ends. The first proof of the address also ends second factors, passkeys and identities.
 *
 * @throws ClienteleError `reset_token_invalid`, `validation_failed`, `overloaded`
 */
export async function resetPassword(
  services: EmailTokensServices,
  call: Call,
  { token, password }: CheckedReset,
): Promise<void> {
  const { repository, passwordPolicy, clock, events, loginThrottle, logger } = services
  const { accountId, requestId, clientAddress } = call
  const hash = hashOpaqueToken(token)
  // This look-up decides nothing: it only saves the cost of a hash when the token is invalid.
  const userId = await repository.emailTokens.find(accountId, hash, 'password_reset', clock())
  if (userId === undefined) throw new ClienteleError('reset_token_invalid')
  const account = await findAccountRules(services, call)
  await checkAccountRules(account, passwordPolicy, { roles: [], password })
  const passwordHash = await hashFor(services, call, password)
  const caller = byUser(call, userId)
  const event = newEvent(services, caller, 'user.password_reset', userId, {})
  const now = clock()
  const reset = await repository.emailTokens.resetPassword(accountId, hash, passwordHash, now, {
    reset: event,
    ...createProofEvents(services, call),
  })
  if (reset === undefined) throw new ClienteleError('reset_token_invalid')
  events.emit(event, reset.user)
  for (const told of reset.told) events.emit(told)
  // Failed guesses of attackers must not lock the mailbox's owner out.
  await Promise.all([
    loginThrottle.succeed('login', { accountId, target: userId, clientAddress }),
    loginThrottle.succeed('two_factor', mailsTo(accountId, userId)),
  ]).catch((error: unknown) =>
    logger.warn(
      { accountId, requestId, error },
      'The count of failed sign-ins could not be reset after a new password.',
    ),
  )
}
