import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { createLabelSchema } from '../../base/input/bounded-text.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { newEvent } from '../events/new-event.ts'
import { askTokenClaims } from '../hooks/ask-hooks.ts'
import { sessionLifeOf } from '../sessions/session-life.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import { findUser } from '../users/find-user.ts'
import { maxImpersonationSeconds } from './impersonation-life.ts'
import type { ImpersonationServices } from './services.ts'

/** How many impersonations of a user may live at once */
const maxImpersonations = 20

const shape = {
  actor: createLabelSchema(1, 254)
    .describe('Who acts as the user: an id or an address of your own people')
    .meta({ examples: ['support@example.com'] }),
  reason: createLabelSchema(1, 500)
    .describe('Why; the event has it')
    .meta({ examples: ['Ticket 4711: the invoice does not open'] }),
  expiresIn: z
    .int()
    .min(60)
    .max(maxImpersonationSeconds)
    .meta({ format: 'int32', examples: [900] })
    .default(900)
    .describe('Seconds'),
}
export const impersonateSchema = z.strictObject(shape)
export const impersonateWireSchema = wireObject(shape, { id: 'Impersonate' })

/** Who acts as a user, and why. */
export interface ImpersonateInput {
  /** Who acts as the user, an id or an address of your own people: 1 to 254 characters, on one line */
  actor: string
  /** Why: 1 to 500 characters, on one line. The event has it */
  reason: string
  /** Seconds, 60 to 3,600. A token's usual lifetime and the account's policy may shorten it. @default 900 */
  expiresIn?: number | undefined
}

/**
 * Opens a session for a person who acts as a user. It has no refresh token, and no credential was shown for it.
 *
 * @throws ClienteleError `user_not_found`, `user_inactive`, `account_disabled`, `impersonation_limit_reached`;
 *   `refused_by_hook`, `hook_unavailable`, `hook_failed`; `overloaded` when the user changes all the time; `api_key_invalid` when its API key has just been revoked
 */
export async function impersonateUser(
  services: ImpersonationServices,
  call: Call,
  userId: string,
  input: z.output<typeof impersonateSchema>,
): Promise<IssuedToken> {
  return askUntilUnchanged(() => tryImpersonation(services, call, userId, input))
}

/** Returns undefined if the user has changed since the hook was asked: a new password must not be outlived. */
async function tryImpersonation(
  services: ImpersonationServices,
  call: Call,
  userId: string,
  { actor: impersonatedBy, reason, expiresIn }: z.output<typeof impersonateSchema>,
): Promise<IssuedToken | undefined> {
  const { repository, accessTokens, events, clock, newId } = services
  const { accountId } = call
  const [{ user, version }, account] = await Promise.all([
    findUser(services, call, userId),
    repository.accounts.findSettings(accountId),
  ])
  if (account === undefined) throw new ClienteleError('user_not_found')
  const { maxSeconds } = sessionLifeOf(services, account.policy.rules)
  if (!user.isActive) throw new ClienteleError('user_inactive')
  const id = newId()
  const about = { amr: [], sessionId: id, impersonatedBy }
  const claims = await askTokenClaims(services, call, user, about)
  const createdAt = clock()
  // No longer than its token, which has no successor.
  const seconds = Math.min(expiresIn, accessTokens.ttlSeconds, maxSeconds)
  const expiresAt = createdAt + seconds * 1000
  const session = { accountId, userId, sessionId: id, amr: [], authenticatedAt: 0, impersonatedBy }
  const issued = await accessTokens.issue(session, expiresAt, claims)
  const data = { sessionId: id, impersonatedBy, expiresAt: new Date(expiresAt) }
  const event = newEvent(services, call, 'user.impersonated', userId, data, { user, reason })
  const openedByKey = call.actor.type === 'api_key' ? call.actor.id : null
  const impersonation = { id, userId, version, impersonatedBy, openedByKey, createdAt, expiresAt }
  const { create } = repository.impersonation
  const outcome = await create(accountId, impersonation, maxImpersonations, event)
  if (outcome === 'key_revoked') throw new ClienteleError('api_key_invalid')
  if (outcome === 'refused') {
    const refusal = await explainRefusal(services, call, userId, version)
    if (refusal === undefined) return undefined
    throw refusal
  }
  events.emit(event)
  return issued
}

async function explainRefusal(
  services: ImpersonationServices,
  call: Call,
  userId: string,
  askedVersion: number,
): Promise<ClienteleError | undefined> {
  const { user, version } = await findUser(services, call, userId)
  if (!user.isActive) return new ClienteleError('user_inactive')
  if (version !== askedVersion) return undefined
  const account = await services.repository.accounts.findSettings(call.accountId)
  const isDisabled = account === undefined || account.disabledAt !== null
  return new ClienteleError(isDisabled ? 'account_disabled' : 'impersonation_limit_reached')
}
