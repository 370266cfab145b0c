import { setImmediate as endOfTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { lowestId } from '../../base/input/id.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { givenEmailSchema } from '../../user-model/email-address.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { appendTypedEmail } from '../events/append-typed-email.ts'
import { newEvent } from '../events/new-event.ts'
import type { SendMail } from '../users/mail.ts'
import type { EmailTokensServices } from './services.ts'
import type { EmailTokenPurpose } from './store.ts'
import { tokenLifeSeconds } from './token-life.ts'

export const emailTokenRequestSchema = z
  .strictObject({
    email: givenEmailSchema,
    locale: localeSchema.optional(),
  })
  .meta({ id: 'EmailTokenRequest' })

type EmailTokenRequest = z.output<typeof emailTokenRequestSchema>

/** After a look-up of this length, in milliseconds, an address without a user may be that of a person who was erased meanwhile. */
const promptMs = 100

const purposes = Object.keys(tokenLifeSeconds) as EmailTokenPurpose[]

// the object's own keys

/** The rate limit key of requests for an address. */
export function listMailTargets(email: string): string[] {
  return purposes.map((purpose) => targetOf(purpose, email))
}

function targetOf(purpose: EmailTokenPurpose, email: string): string {
  return `${purpose} ${email}`
}

/**
 * E-mails a token to the address if a user who can sign in has it. The look-up follows the response, so that neither
 * the response nor its duration reveals whether there is such a user. Requests for every address count against the
 * limit.
 *
 * @throws ClienteleError `rate_limited`, `overloaded`
 */
export async function requestEmailToken(
  services: EmailTokensServices,
  call: Call,
  purpose: EmailTokenPurpose,
  request: EmailTokenRequest,
): Promise<void> {
  const { email } = request
  const { loginThrottle, tasks, sendMail, logger } = services
  const { accountId, requestId, clientAddress } = call
  const attempt = { accountId, target: targetOf(purpose, email), clientAddress }
  const details = { kind: purpose, accountId, requestId }
  if (sendMail === undefined) {
    await loginThrottle.take('reset', attempt)
    logger.warn(details, 'A mail was not sent: sendMail is not configured.')
    return
  }
  const count = async () => {
    await loginThrottle.take('reset', attempt)
    if (purpose !== 'password_reset') return {}
    // Now: when the mail's turn comes, the person with the address may have been erased.
    const told = endOfTurn().then(() => tellRequest(services, call, email))
    told.catch(() => {})
    return { told }
  }
  await tasks.start(
    count,
    async ({ told }) => {
      await told
      await createAndMail(services, sendMail, call, purpose, request)
    },
    details,
    'A mail could not be sent.',
  )
}

async function tellRequest(
  services: EmailTokensServices,
  call: Call,
  email: string,
): Promise<void> {
  // After a fault the mail is tried all the same.
  const userId = await findSubject(services, call.accountId, email).catch(() => undefined)
  if (userId === undefined) return
  const event = newEvent(services, call, 'user.password_reset_requested', userId, {}, { email })
  await appendTypedEmail(services, event)
}

/** The id of the user with the address; null: there is none; undefined: an erasure may have removed it while the look-up waited. */
async function findSubject(
  { repository }: EmailTokensServices,
  accountId: string,
  email: string,
): Promise<string | null | undefined> {
  const since = performance.now()
  const found = await repository.users.findCredentials(accountId, email)
  if (found !== undefined) return found.user.id
  return performance.now() - since < promptMs ? null : undefined
}

async function createAndMail(
  services: EmailTokensServices,
  sendMail: SendMail,
  call: Call,
  purpose: EmailTokenPurpose,
  { email, locale }: EmailTokenRequest,
): Promise<void> {
  const { repository, clock } = services
  const { accountId } = call
  const found = await repository.users.findCredentials(accountId, email)
  const now = clock()
  const expiresInSeconds = tokenLifeSeconds[purpose]
  const expiresAt = now + expiresInSeconds * 1000
  if (found === undefined || !found.user.isActive) {
    // Without a token, as much is written: the duration of the next request must not reveal whether there is a
    // user.
    await repository.rateLimits.add(accountId, 'unwritten-token', 1, now, expiresAt)
    await repository.emailTokens.endSurplus(accountId, lowestId, purpose, expiresAt)
    return
  }
  const { user } = found
  const token = createOpaqueToken()
  const record = {
    hash: hashOpaqueToken(token),
    userId: user.id,
    purpose,
    email,
    expiresAt,
  }
  if (!(await repository.emailTokens.create(accountId, record))) return
  await repository.emailTokens.endSurplus(accountId, user.id, purpose, expiresAt)
  const mail = { kind: purpose, accountId, to: email, user: toClientUser(user), locale }
  await sendMail({ ...mail, token, expiresInSeconds })
}
