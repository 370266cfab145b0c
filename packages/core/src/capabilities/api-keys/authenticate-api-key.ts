import type { Call } from '../../base/call/call.ts'
import type { Scope } from '../../base/call/scope.ts'
import type { TokenSubject } from '../../base/call/token-subject.ts'
import {
  accountOfSecret,
  hashAccountSecret,
  isAccountSecret,
} from '../../base/crypto/account-secret.ts'
import { ClienteleError } from '../../base/errors.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import { UseNotes } from '../../base/runtime/use-notes.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import { appendEvent } from '../events/append-event.ts'
import type { EventData } from '../events/event-types.ts'
import { newEvent } from '../events/new-event.ts'
import { scopeInsufficient } from './scope-insufficient.ts'
import type { ApiKeysServices } from './services.ts'
import type { ApiKeyGrant } from './store.ts'

/** The context of the authentication, besides the key. */
interface AboutRequest {
  requestId: string
  clientAddress?: string | undefined
  /** The scope that the key needs */
  scope?: Scope | undefined
  /** The subject that the request names: read in the same round trip */
  subject?: TokenSubject | undefined
}

export interface AuthenticatedCall {
  call: Call
  key: ApiKeyGrant
  /** Also undefined when there is no such subject in the key's account */
  subject: SubjectState | undefined
}

/**
 * The hashes of keys that were found, since callers send the same key with each request: to check and hash it takes a
 * tenth of a validation. A hash proves nothing: the key is looked up each time.
 */
const knownHashes = new LateCache<{ hash: string }>(1_000)

/**
 * Finds the account of an API key, and makes the call that actions take.
 *
 * @throws ClienteleError `api_key_invalid` for an unknown, malformed, revoked or expired key; `scope_insufficient`
 */
export async function authenticateApiKey(
  services: ApiKeysServices,
  secret: string,
  { requestId, clientAddress, scope, subject: asked }: AboutRequest,
): Promise<AuthenticatedCall> {
  const known = knownHashes.get(secret)
  if (known === undefined && !isAccountSecret('cu', secret))
    throw new ClienteleError('api_key_invalid')
  const now = services.clock()
  const { hash } = known ?? { hash: hashAccountSecret(secret) }
  const toAccountId = () => accountOfSecret(secret)
  const match = await services.repository.apiKeys.findByHash(hash, now, asked, toAccountId)
  if (match === undefined || match.isAccountDisabled) throw new ClienteleError('api_key_invalid')
  if (known === undefined) knownHashes.set(secret, { hash })
  const { key, accountId, rules, subject } = match
  const refused = refusalOf(key, now)
  if (refused !== undefined) {
    tellRefusal(services, accountId, requestId, key.id, refused)
    throw new ClienteleError('api_key_invalid')
  }
  const call: Call = {
    accountId,
    actor: { type: 'api_key', id: key.id },
    requestId,
    clientAddress,
    rules,
  }
  noteUse(services, call, key, now)
  if (scope !== undefined && !key.scopes.includes(scope)) {
    throw scopeInsufficient([scope])
  }
  return { call, key, subject }
}

const notes = new UseNotes()

/** Records the use without delaying the request. */
function noteUse(
  { repository, logger }: ApiKeysServices,
  { accountId, requestId }: Call,
  { id: keyId, lastUsedAt }: ApiKeyGrant,
  now: number,
): void {
  notes.note(
    { id: keyId, lastUsedAt, now },
    () => repository.apiKeys.noteUse(accountId, keyId, now),
    (error) =>
      logger.warn(
        { error, accountId, keyId, requestId },
        "An API key's last use could not be noted.",
      ),
  )
}

type Refusal = EventData<'api_key.refused'>['reason']

function refusalOf(
  { revokedAt, replacedAt, expiresAt }: ApiKeyGrant,
  now: number,
): Refusal | undefined {
  if (revokedAt !== null) return 'revoked'
  // It was replaced while the clock was ahead, and would be accepted until the wrong time.
  if (replacedAt !== null && replacedAt > now + maxSetBackMs) return 'expired'
  return expiresAt !== null && expiresAt <= now ? 'expired' : undefined
}

/** Records, without delaying the request, that a revoked or expired key is still used: once a minute. */
function tellRefusal(
  services: ApiKeysServices,
  accountId: string,
  requestId: string,
  keyId: string,
  reason: Refusal,
): void {
  const { eventLimits, logger } = services
  if (!eventLimits.wakeForKey(keyId)) return
  const tell = async (): Promise<void> => {
    if (!(await eventLimits.mayTellOfKey(accountId, keyId))) return
    const origin = { accountId, actor: { type: 'api_key', id: keyId } as const, requestId }
    const event = newEvent(services, origin, 'api_key.refused', keyId, { reason })
    await appendEvent(services, event)
  }
  setImmediate(() => {
    tell().catch((error: unknown) =>
      logger.warn(
        { error, accountId, keyId, requestId },
        "A refused API key's event was not written.",
      ),
    )
  })
}
