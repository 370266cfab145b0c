import { z } from 'zod'
import { byUser, type Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { newEvent } from '../events/new-event.ts'
import { toTakenPasskeysTarget } from '../rate-limits/passkey-target.ts'
import { endCeremony, toWebAuthnChallenge } from './ceremony.ts'
import { findPasskeySettings } from './find-settings.ts'
import {
  maxPasskeys,
  type Passkey,
  passkeyNameSchema,
  passkeyUseSchema,
  toPasskey,
} from './passkey.ts'
import type { PasskeysServices } from './services.ts'
import { verifyRegistration } from './verify-response.ts'
import { registrationResponseSchema } from './webauthn-responses.ts'

export const enrolPasskeySchema = z
  .strictObject({
    challenge: givenOpaqueTokenSchema,
    response: registrationResponseSchema,
    name: passkeyNameSchema.default('Passkey'),
    use: passkeyUseSchema.default('first_factor'),
  })
  .meta({ id: 'EnrolPasskey' })
export type EnrolPasskeyInput = z.input<typeof enrolPasskeySchema>

/**
 * Enrols the passkey that the user's browser has created. If a session of the user began the enrolment, it must not have
 * ended since.
 *
 * @throws ClienteleError `user_not_found`, `passkeys_not_configured`, `challenge_invalid`, `passkey_invalid`,
 *   `passkey_taken`, `passkey_limit_reached`, `token_missing`, `rate_limited`
 */
export async function enrolPasskey(
  services: PasskeysServices,
  call: Call,
  userId: string,
  { challenge, response, name, use }: z.output<typeof enrolPasskeySchema>,
): Promise<Passkey> {
  const { repository, events, newId, clock } = services
  const subject = { userId, sessionId: null }
  const found = await repository.users.findSubject(call.accountId, clock(), subject)
  if (found === undefined) throw new ClienteleError('user_not_found')
  const { user, tokensNotBefore } = found
  const settings = await findPasskeySettings(services, call)
  const ceremony = await endCeremony(services, call, challenge, ['enrol'])
  if (ceremony.userId !== userId) throw new ClienteleError('challenge_invalid')
  // The account may have begun to require it since.
  if (settings.requireToken && !ceremony.isByUser) throw new ClienteleError('token_missing')
  const verified = await verifyRegistration(response, {
    settings,
    challenge: toWebAuthnChallenge(challenge),
    requireUserVerification: use === 'first_factor',
  })
  const now = clock()
  const passkey = {
    ...verified,
    id: newId(),
    userId,
    rpId: settings.rpId,
    name,
    use,
    transports: [...new Set(response.response.transports ?? [])],
    createdAt: now,
  }
  const origin = ceremony.isByUser ? byUser(call, userId) : call
  const data = { passkeyId: passkey.id, use }
  const event = newEvent(services, origin, 'passkey.enrolled', userId, data, { user })
  const { sessionId } = ceremony
  const session = sessionId === null ? undefined : { id: sessionId, now }
  const write = { maximum: maxPasskeys, tokensNotBefore, session, event }
  const undo = await countLookUp(services, call, userId)
  let outcome: Awaited<ReturnType<typeof repository.passkeys.enrol>> | undefined
  try {
    outcome = await repository.passkeys.enrol(call.accountId, passkey, write)
    if (outcome !== 'enrolled') throw new ClienteleError(outcome)
    events.emit(event)
    return toPasskey({ ...passkey, lastUsedAt: null })
  } finally {
    if (outcome !== 'passkey_taken') await undo()
  }
}

/**
 * Counts an enrolment before it is looked at, also those at once: a user who tries ids learns which of them are others'.
 * Returns the function that takes it back.
 *
 * @throws ClienteleError `rate_limited`
 */
async function countLookUp(
  { loginThrottle }: PasskeysServices,
  { accountId }: Call,
  userId: string,
): Promise<() => Promise<void>> {
  const attempt = { accountId, target: toTakenPasskeysTarget(userId) }
  // What is stored stays so, also if the count is not undone.
  const undo = () => loginThrottle.undo('login', attempt).catch(() => undefined)
  await loginThrottle.check('login', attempt)
  await loginThrottle.fail('login', attempt).catch(async (error: unknown) => {
    // It is not looked at. No success clears such counts: those of many at once would refuse the user's next.
    if (error instanceof ClienteleError && error.code === 'rate_limited') await undo()
    throw error
  })
  return undo
}
