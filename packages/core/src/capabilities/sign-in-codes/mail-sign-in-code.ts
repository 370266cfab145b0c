import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { ClienteleError } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { givenEmailSchema, readEmailAddress } from '../../user-model/email-address.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { assertMethodAllowed } from '../accounts/assert-sign-in.ts'
import { findAccountSettings } from '../accounts/find-account.ts'
import { createMailCode, digestMailCode } from '../mfa/one-time-codes.ts'
import { toSignInCodeRequestTarget } from '../rate-limits/sign-in-code-target.ts'
import type { Mail, SendMail } from '../users/mail.ts'
import { codeLifeSeconds } from './code-life.ts'
import type { SignInCodesServices } from './services.ts'

export const mailSignInCodeSchema = z
  .strictObject({ email: givenEmailSchema, locale: localeSchema.optional() })
  .meta({ id: 'MailSignInCode' })
export type MailSignInCodeInput = z.input<typeof mailSignInCodeSchema>

/** The result of a request for a code. */
export interface MailedSignInCode {
  /** For `logInWithCode`: it stays with the page that asked. What was mailed opens nothing without it. */
  challenge: string
  /** Seconds */
  expiresIn: number
}

const tries = 5
const digits = 8

/**
 * Mails a code and a token that sign in together with the returned challenge. What is read and written before the
 * response is the same for every address: the look-up of the user follows the response.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `mail_unavailable`, `rate_limited`, `overloaded`, `account_not_found`
 */
export async function mailSignInCode(
  services: SignInCodesServices,
  call: Call,
  { email: typed, locale }: z.output<typeof mailSignInCodeSchema>,
): Promise<MailedSignInCode> {
  const { repository, loginThrottle, encryptor, tasks, sendMail, clock } = services
  const { accountId, requestId, clientAddress } = call
  const { policy } = await findAccountSettings(services, call)
  assertMethodAllowed(policy.rules, 'email_code')
  if (sendMail === undefined) throw new ClienteleError('mail_unavailable')
  const email = toStoredAddress(encryptor, typed)
  const attempt = { accountId, target: toSignInCodeRequestTarget(email), clientAddress }
  const challenge = createOpaqueToken()
  const mailed = { code: createMailCode(digits), token: createOpaqueToken() }
  const hash = hashOpaqueToken(challenge)
  const countAndStore = async () => {
    await loginThrottle.take('reset', attempt)
    // It voids the previous code.
    await repository.signInCodes.put(accountId, {
      email,
      hash,
      codeHash: digestMailCode(encryptor, challenge, mailed.code),
      tokenHash: digestMailCode(encryptor, challenge, mailed.token),
      tries,
      expiresAt: clock() + codeLifeSeconds * 1000,
    })
  }
  const kind = 'sign_in_code'
  const letter = { kind, ...mailed, ...(locale !== undefined && { locale }) } as const
  await tasks.start(
    countAndStore,
    () => assignAndMail(services, sendMail, accountId, email, hash, letter),
    { kind, accountId, requestId },
    'A mail could not be sent.',
  )
  return { challenge, expiresIn: codeLifeSeconds }
}

/** People type passwords there: what is no address is stored as a digest, which no address looks like. */
function toStoredAddress(encryptor: Encryptor, typed: string): string {
  return readEmailAddress(typed) ?? encryptor.digest(typed, 'no address')
}

type Letter = Omit<
  Extract<Mail, { kind: 'sign_in_code' }>,
  'accountId' | 'to' | 'user' | 'expiresInSeconds'
>

async function assignAndMail(
  { repository }: SignInCodesServices,
  sendMail: SendMail,
  accountId: string,
  email: string,
  hash: string,
  letter: Letter,
): Promise<void> {
  const found = await repository.users.findCredentials(accountId, email)
  // Without a user, as much is written: the duration of the next request must not reveal whether there is one.
  const userId = await repository.signInCodes.assign(accountId, hash, email)
  if (found === undefined || found.user.id !== userId) return
  const { user } = found
  const expiresInSeconds = codeLifeSeconds
  await sendMail({ ...letter, accountId, to: email, user: toClientUser(user), expiresInSeconds })
}
