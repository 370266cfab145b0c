import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { toIsoText } from '../../base/input/instant.ts'
import type { Wire } from '../../base/input/wire-names.ts'
import { listMailTargets } from '../email-tokens/request-email-token.ts'
import { newEvent } from '../events/new-event.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { NewReply } from '../idempotency/store.ts'
import { mailsTo } from '../mfa/mail-mfa-code.ts'
import { listCountKeys } from '../rate-limits/count-keys.ts'
import { toIdTokenTarget } from '../rate-limits/id-token-target.ts'
import { toPasskeyTarget } from '../rate-limits/passkey-target.ts'
import { createJwsSigner } from '../signing-keys/jws-signer.ts'
import { findUser } from '../users/find-user.ts'
import type { PersonalDataServices } from './services.ts'

/** What the erasure of a person did, and the proof of it. */
export interface ErasureReceipt {
  /** The user's id */
  id: string
  erasedAt: Date
  /** How many rows went, by table */
  removed: Record<string, number>
  /** What stays, by table, and why */
  retained: { what: string; why: string }[]
  /** The other members, as on the wire, as a compact JWS (RFC 7515) by the account's key that signs tokens */
  receipt: string
}

/** `typ` of receipts: nobody takes one for a token. */
const receiptType = 'clientele-erasure+json'

/**
 * Deletes a user and takes the person out of all that stays: events, and answers that were kept for repeats. With a key,
 * once. Answers with the receipt as it is on the wire, since it is what is signed, and kept for repeats.
 *
 * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`, `secret_wrong`
 */
export async function eraseUser(
  services: PersonalDataServices,
  call: Call,
  userId: string,
): Promise<Wire<ErasureReceipt>> {
  return answerOnce(services, call, { operation: 'eraseUser', input: { userId } }, (reply) =>
    storeErasure(services, call, userId, reply),
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
  // A key that signs is made where there is none: not for a user who is not there.
  await findUser(services, call, userId)
  const sign = await createJwsSigner(services, accountId, receiptType)
  const event = newEvent(services, call, 'user.erased', userId, {})
  const targets = [
    userId,
    mailsTo(accountId, userId).target,
    toIdTokenTarget(userId),
    toPasskeyTarget(userId),
  ]
  const erasure = await repository.personalData.erase(
    accountId,
    userId,
    {
      event,
      countKeysOf: (emails) =>
        [
          ...targets,
          ...emails,
          ...emails.map(toPasskeyTarget),
          ...emails.flatMap(listMailTargets),
        ].flatMap(listCountKeys),
      toAnswer: ({ removed, retained }) => {
        const erased_at = toIsoText(event.createdAt)
        const members = { id: userId, erased_at, removed, retained }
        return { ...members, receipt: sign(JSON.stringify(members)) }
      },
    },
    reply,
  )
  if (erasure === undefined) throw new ClienteleError('user_not_found')
  events.emit(event)
  return erasure
}
