import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import { isByMail } from '../accounts/sign-in-methods.ts'
import type { Attempt } from '../rate-limits/login-throttle.ts'
import type { Mail } from '../users/mail.ts'
import { mailAfter } from '../users/mail-after.ts'
import { challengeTtlSeconds } from './challenge-life.ts'
import { findChallenge } from './find-challenge.ts'
import { createMailCode, digestMailCode } from './one-time-codes.ts'
import type { MfaServices } from './services.ts'

export const challengeOnlySchema = z
  .strictObject({ challenge: givenOpaqueTokenSchema })
  .meta({ id: 'ChallengeOnly' })

export const mailMfaCodeSchema = z
  .strictObject({ challenge: givenOpaqueTokenSchema, locale: localeSchema.optional() })
  .meta({ id: 'MailTwoFactorCode' })

/** The rate limit key of e-mailed codes: a caller who knows the password must not flood the mailbox. */
export function mailsTo(accountId: string, userId: string): Attempt {
  return { accountId, target: `mail ${userId}` }
}

/**
 * E-mails a code for a challenge, at most three times; per user at most as often as wrong codes are allowed.
 *
 * @throws ClienteleError `challenge_invalid`, `two_factor_not_enrolled`, `mail_unavailable`, `rate_limited`,
 *   `overloaded`; `sign_in_method_disabled`, `email_not_verified`
 */
export async function mailMfaCode(
  services: MfaServices,
  call: Call,
  { challenge, locale }: z.output<typeof mailMfaCodeSchema>,
): Promise<void> {
  const { accountId } = call
  const { userId, amr } = await findChallenge(services, call, challenge)
  const [factor, stored] = await Promise.all([
    services.repository.mfa.find(accountId, userId),
    services.repository.users.find(accountId, userId),
  ])
  if (!stored?.user.isActive) throw new ClienteleError('challenge_invalid')
  if (!factor?.isEmailEnabled || isByMail(amr)) throw new ClienteleError('two_factor_not_enrolled')
  await mailCode(services, call, challenge, stored.user, locale)
}

/**
 * Sends a code to the user of a challenge.
 *
 * @throws ClienteleError `challenge_invalid`, `mail_unavailable`, `rate_limited`, `overloaded`
 */
export async function mailCode(
  services: MfaServices,
  call: Call,
  challenge: string,
  stored: StoredUser,
  locale: string | undefined,
): Promise<void> {
  const { repository, loginThrottle, encryptor, sendMail, clock } = services
  const { accountId } = call
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  const kind = 'two_factor_code'
  await mailAfter(services, call, { kind, sendMail }, async () => {
    await loginThrottle.take('two_factor', mailsTo(accountId, stored.id))
    const code = createMailCode()
    const mailed = {
      emailCodeHash: digestMailCode(encryptor, challenge, code),
      mailedTo: stored.email,
    }
    // Last, because it invalidates the previous code.
    const hash = hashOpaqueToken(challenge)
    if (!(await repository.mfa.mailChallenge(accountId, hash, mailed, clock())))
      throw new ClienteleError('challenge_invalid')
    const user = toClientUser(stored)
    const about = { kind, accountId, to: user.email, user, locale } as const
    const mail: Mail = { ...about, code, expiresInSeconds: challengeTtlSeconds }
    return { result: undefined, mails: [mail] }
  })
}
