import type { Call } from '../../base/call/call.ts'
import { whileAdmitted } from '../../base/call/while-admitted.ts'
import { ClienteleError } from '../../base/errors.ts'
import { toIsoText } from '../../base/input/instant.ts'
import type { Wire } from '../../base/input/wire-names.ts'
import { toEmailChangeTarget, toNewEmailTarget } from '../email-changes/change-life.ts'
import { listMailTargets } from '../email-tokens/request-email-token.ts'
import { type NewEvent, newEvent } from '../events/new-event.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { toInvitationTarget } from '../invitations/invitation-life.ts'
import { mailsTo } from '../mfa/mail-mfa-code.ts'
import { listCountKeys } from '../rate-limits/count-keys.ts'
import { toIdTokenTarget } from '../rate-limits/id-token-target.ts'
import {
  toPasskeyIdTarget,
  toPasskeyTarget,
  toTakenPasskeysTarget,
} from '../rate-limits/passkey-target.ts'
import { toReauthenticationTarget } from '../rate-limits/reauthentication-target.ts'
import {
  toSignInCodeRequestTarget,
  toSignInCodeTarget,
} from '../rate-limits/sign-in-code-target.ts'
import { toTotpEnrolmentTarget } from '../rate-limits/totp-enrolment-target.ts'
import { toUnknownEmailTarget } from '../rate-limits/unknown-email-target.ts'
import { createJwsSigner } from '../signing-keys/jws-signer.ts'
import { findUser } from '../users/find-user.ts'
import type { PersonalDataServices } from './services.ts'

/** The result of a person's erasure, and the proof of it. */
export interface ErasureReceipt {
  /** The user's id */
  id: string
  erasedAt: Date
  /** How many rows were deleted, by table */
  removed: Record<string, number>
  /** Which tables keep rows, and why */
  retained: { what: string; why: string }[]
  /** The other members, as on the wire, as a compact JWS (RFC 7515) signed by the account's key */
  receipt: string
}

/** The `typ` of receipts, so that a receipt is never taken for a token. */
const receiptType = 'clientele-erasure+json'

/**
 * Deletes a user and removes the person from the rows that stay: events, and responses stored for repeats. With an
 * idempotency key it acts once. Returns the receipt in its wire format, because that is signed and stored for repeats.
 *
 * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`, `secret_wrong`
 */
export async function eraseUser(
  services: PersonalDataServices,
  call: Call,
  userId: string,
): Promise<Wire<ErasureReceipt>> {
  return answerOnce(services, call, { operation: 'eraseUser', input: { userId } }, (reply) =>
    services.erasures.run(
      call.accountId,
      whileAdmitted(call, () => storeErasure(services, call, userId, reply)),
    ),
  )
}

async function storeErasure(
  services: PersonalDataServices,
  call: Call,
  userId: string,
  reply?: NewReply,
): Promise<Wire<ErasureReceipt>> {
  const { repository, events } = services
  const { accountId } = call
  // Checked first, so that no signing key is created for a user who does not exist.
  await findUser(services, call, userId)
  let sign = await createJwsSigner(services, accountId, receiptType)
  let event: NewEvent<'user.erased'> | undefined
  const passkeys = await repository.passkeys.list(accountId, userId)
  const targets = [
    userId,
    mailsTo(accountId, userId).target,
    toIdTokenTarget(userId),
    toEmailChangeTarget(userId),
    toPasskeyTarget(userId),
    toTakenPasskeysTarget(userId),
    ...passkeys.map(({ credentialId }) => toPasskeyIdTarget(credentialId)),
    toReauthenticationTarget(userId),
    toTotpEnrolmentTarget(userId),
  ]
  const erasure = await repository.personalData.erase(
    accountId,
    userId,
    {
      inTurn: (last) =>
        // What was deleted in parts has begun the erasure: it ends, whether or not the caller waits.
        services.personTurns.run(accountId, async () => {
          // The history may be long, and the signing key be removed meanwhile.
          sign = await createJwsSigner(services, accountId, receiptType)
          return last()
        }),
      eventOf: () => {
        event = newEvent(services, call, 'user.erased', userId, {})
        return event
      },
      countKeysOf: (emails) => {
        const unknown = emails.map(toUnknownEmailTarget)
        return [
          ...targets,
          ...unknown,
          ...unknown.map(toPasskeyTarget),
          ...emails.flatMap(listMailTargets),
          ...emails.map(toInvitationTarget),
          ...emails.map(toNewEmailTarget),
          ...emails.flatMap((email) => [
            toSignInCodeTarget(email),
            toSignInCodeRequestTarget(email),
          ]),
        ].flatMap(listCountKeys)
      },
      toAnswer: ({ erasedAt, removed, retained }) => {
        const members = { id: userId, erased_at: toIsoText(erasedAt), removed, retained }
        return { ...members, receipt: sign(JSON.stringify(members)) }
      },
    },
    reply,
  )
  if (erasure === undefined || event === undefined) throw new ClienteleError('user_not_found')
  events.emit(event)
  return erasure
}
