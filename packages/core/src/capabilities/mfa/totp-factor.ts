import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { newEvent } from '../events/new-event.ts'
import { toTotpEnrolmentTarget } from '../rate-limits/totp-enrolment-target.ts'
import { findUser } from '../users/find-user.ts'
import { createRecoveryCodes, hashRecoveryCode } from './one-time-codes.ts'
import type { MfaServices } from './services.ts'
import type { MfaFactors } from './store.ts'
import { createTotpSecret, findTotpStep, loadQrCodes } from './totp.ts'

export interface TotpEnrolment {
  /** Base32 */
  secret: string
  /** The URI for authenticator apps, which read it as text or as a QR code */
  otpauthUri: string
  /** The URI as a QR code, if requested */
  qrSvg?: string
}

export const confirmTotpSchema = z
  .strictObject({ code: codePoints(z.string(), 1, 64).meta({ examples: ['287082'] }) })
  .meta({ id: 'ConfirmTotp' })

/**
 * Begins to enrol an authenticator app. It becomes active when one of its codes has been confirmed.
 *
 * @throws ClienteleError `user_not_found`, `two_factor_already_enrolled`; `overloaded` when 1,000 requests of the account wait
 */
export async function enrolTotp(
  services: MfaServices,
  call: Call,
  userId: string,
  withQrCode: boolean,
): Promise<TotpEnrolment> {
  const { repository, encryptor, storedSecrets } = services
  const { accountId } = call
  await storedSecrets.ensureChecked()
  const [{ user }, account] = await Promise.all([
    findUser(services, call, userId),
    repository.accounts.findSettings(accountId),
  ])
  const { secret, otpauthUri } = await createTotpSecret(account?.name ?? 'Clientele', user.email)
  // Before the write, because it may be refused.
  const qrSvg = withQrCode ? await drawInTurn(services, call, otpauthUri) : undefined
  const encrypted = encryptor.encrypt(secret, purposeOf('totp', accountId, userId))
  const outcome = await repository.mfa.enrolTotp(accountId, userId, encrypted)
  if (outcome !== 'enrolled') throw new ClienteleError(outcome)
  return { secret, otpauthUri, ...(qrSvg !== undefined && { qrSvg }) }
}

/** Drawing takes a turn of the event loop, which is charged to the account. */
async function drawInTurn(
  { loopTurns }: MfaServices,
  call: Call,
  otpauthUri: string,
): Promise<string> {
  const renderQrCode = await loadQrCodes()
  const turn = { accountId: call.accountId, weight: 16, isGone: () => call.isGone?.() === true }
  const drawn = await loopTurns.run(turn, async () => renderQrCode(otpauthUri))
  // After the turn, which is charged for what happens in it alone.
  await call.stayAdmitted?.()
  return drawn
}

/**
 * Confirms the app with one of its codes, and returns the recovery codes, which are shown only this time.
 *
 * @throws ClienteleError `two_factor_code_invalid`, `two_factor_not_enrolled`, `two_factor_already_enrolled`
 */
export async function confirmTotp(
  services: MfaServices,
  call: Call,
  userId: string,
  { code }: z.output<typeof confirmTotpSchema>,
): Promise<string[]> {
  const { repository, encryptor, clock, loginThrottle, events } = services
  const { accountId } = call
  const { user } = await findUser(services, call, userId)
  const factor = await repository.mfa.find(accountId, userId)
  const encrypted = factor?.encryptedTotpSecret ?? null
  if (factor?.isTotpConfirmed) throw new ClienteleError('two_factor_already_enrolled')
  if (encrypted === null) throw new ClienteleError('two_factor_not_enrolled')
  const attempt = { accountId, target: toTotpEnrolmentTarget(userId) }
  const now = clock()
  await loginThrottle.take('two_factor', attempt)
  const step = await findTotpStep(
    encryptor.decrypt(encrypted, purposeOf('totp', accountId, userId)),
    code,
    now,
  )
  if (step === undefined) throw new ClienteleError('two_factor_code_invalid')
  await loginThrottle.giveBack('two_factor', attempt)
  const codes = createRecoveryCodes()
  const hashes = codes.map((each) => hashRecoveryCode(userId, each))
  const data = { method: 'totp' } as const
  const event = newEvent(services, call, 'two_factor.enrolled', userId, data, { user })
  const { mfa } = repository
  if (!(await mfa.confirmTotp(accountId, userId, encrypted, step, now, hashes, event))) {
    throw new ClienteleError('two_factor_already_enrolled')
  }
  events.emit(event)
  return codes
}

/** Whether a code of the app is right and unused; it is then used up. */
export async function useTotpCode(
  { repository, encryptor, clock }: MfaServices,
  accountId: string,
  userId: string,
  factor: MfaFactors | undefined,
  code: string,
): Promise<boolean> {
  const encrypted = factor?.encryptedTotpSecret ?? null
  if (!factor?.isTotpConfirmed || encrypted === null) return false
  const secret = encryptor.decrypt(encrypted, purposeOf('totp', accountId, userId))
  const step = await findTotpStep(secret, code, clock())
  return step !== undefined && repository.mfa.useTotpStep(accountId, userId, step)
}
