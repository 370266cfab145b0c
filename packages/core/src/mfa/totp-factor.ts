import { z } from 'zod'
import { codePoints } from '../input/input.ts'
import { ClienteleError } from '../errors.ts'
import { createRecoveryCodes, hashRecoveryCode } from './one-time-codes.ts'
import { createTotpSecret, findTotpStep, renderQrCode } from './totp.ts'
import { findUser } from '../users/find-user.ts'
import type { Services } from '../services.ts'

export interface TotpEnrolment {
  /** Base32 */
  secret: string
  /** What authenticator apps read, as text or as a QR code */
  otpauth_uri: string
  /** The URI as a QR code, when it was asked for */
  qr_svg?: string
}

const lowestId = '00000000-0000-0000-0000-000000000000'

export const confirmTotpSchema = z
  .strictObject({ code: codePoints(z.string(), 1, 64).meta({ examples: ['287082'] }) })
  .meta({ id: 'ConfirmTotp' })

/**
 * Begins to enrol an authenticator app. It counts once a code of it has been confirmed.
 *
 * @throws ClienteleError `user_not_found`, `two_factor_already_enrolled`
 */
export async function enrolTotp(
  services: Services,
  accountId: string,
  userId: string,
  withQrCode: boolean,
): Promise<TotpEnrolment> {
  const { repository, box } = services
  const [{ user }, account] = await Promise.all([
    findUser(services, accountId, userId),
    repository.findAccount(accountId),
  ])
  const { secret, otpauthUri } = await createTotpSecret(account?.name ?? 'Clientele', user.email)
  const sealed = box.seal(secret, purposeOf(accountId, userId))
  const outcome = await repository.enrolTotp(accountId, userId, sealed)
  if (outcome !== 'enrolled') throw new ClienteleError(outcome)
  const enrolment = { secret, otpauth_uri: otpauthUri }
  return withQrCode ? { ...enrolment, qr_svg: await renderQrCode(otpauthUri) } : enrolment
}

/**
 * Confirms the app by a code of it, and answers with the recovery codes, this once.
 *
 * @throws ClienteleError `two_factor_code_invalid`, `two_factor_not_enrolled`, `two_factor_already_enrolled`
 */
export async function confirmTotp(
  services: Services,
  accountId: string,
  userId: string,
  { code }: z.output<typeof confirmTotpSchema>,
): Promise<string[]> {
  const { repository, box, clock, guesses, events } = services
  const { user } = await findUser(services, accountId, userId)
  const factor = await repository.findSecondFactor(accountId, userId)
  const sealed = factor?.sealedTotpSecret ?? null
  if (factor?.isTotpConfirmed) throw new ClienteleError('two_factor_already_enrolled')
  if (sealed === null) throw new ClienteleError('two_factor_not_enrolled')
  const guess = { accountId, target: userId }
  const now = clock()
  await guesses.take('two_factor', guess)
  const step = await findTotpStep(box.open(sealed, purposeOf(accountId, userId)), code, now)
  if (step === undefined) throw new ClienteleError('two_factor_code_invalid')
  await guesses.giveBack('two_factor', guess)
  const codes = createRecoveryCodes()
  const hashes = codes.map((each) => hashRecoveryCode(userId, each))
  if (!(await repository.confirmTotp(accountId, userId, sealed, step, now, hashes))) {
    throw new ClienteleError('two_factor_already_enrolled')
  }
  events.emit('two_factor.enrolled', { accountId, user, method: 'totp' })
  return codes
}

/** Whether a code of the app is right and was not used before; then it is now. */
export async function useTotpCode(
  { repository, box }: Services,
  accountId: string,
  userId: string,
  code: string,
  now: number,
): Promise<boolean> {
  const factor = await repository.findSecondFactor(accountId, userId)
  const sealed = factor?.sealedTotpSecret ?? null
  if (!factor?.isTotpConfirmed || sealed === null) return false
  const secret = box.open(sealed, purposeOf(accountId, userId))
  const step = await findTotpStep(secret, code, now)
  return step !== undefined && repository.useTotpStep(accountId, userId, step)
}

/**
 * Encrypts secrets again that are under a secret other than the first, so that the old one can be dropped.
 *
 * @throws ClienteleError `secret_wrong`
 */
export async function resealTotpSecrets({
  repository,
  box,
}: Pick<Services, 'repository' | 'box'>): Promise<void> {
  let after = { accountId: lowestId, userId: lowestId }
  for (;;) {
    const secrets = await repository.listSealedTotpSecrets(after, box.prefix)
    const last = secrets.at(-1)
    if (last === undefined) return
    const resealed = secrets.map((each) => {
      const purpose = purposeOf(each.accountId, each.userId)
      return { ...each, resealed: box.seal(box.open(each.sealed, purpose), purpose) }
    })
    await repository.resealTotpSecrets(resealed)
    after = last
  }
}

function purposeOf(accountId: string, userId: string): string {
  return `totp ${accountId} ${userId}`
}
