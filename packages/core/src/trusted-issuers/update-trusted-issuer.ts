import type { z } from 'zod'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import { parseInput } from '../input/input.ts'
import type { Services } from '../services.ts'
import { checkIssuer, toIssuerRecord, toTrustedIssuer } from './create-trusted-issuer.ts'
import { type issuerChangesSchema, newIssuerSchema } from './issuer-schema.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

type IssuerChanges = z.output<typeof issuerChangesSchema>

/**
 * Changes what an account trusts an issuer for; what results obeys the rules of a new one.
 *
 * @throws ClienteleError `issuer_not_found`, `issuer_taken`, `validation_failed`
 */
export async function updateIssuer(
  services: Services,
  call: Call,
  issuerId: string,
  changes: IssuerChanges,
): Promise<TrustedIssuer> {
  const { repository, trustedIssuers, events } = services
  const { accountId } = call
  for (;;) {
    const record = await mergeChanges(services, accountId, issuerId, changes)
    const { issuer } = record.next
    const event = newEvent(services, call, 'issuer.updated', issuerId, { issuer })
    const outcome = await repository.trustedIssuers.update(
      accountId,
      record.next,
      record.unchangedSince,
      event,
    )
    // Another change at the same moment was first: this one builds on it.
    if (outcome === 'issuer_changed') continue
    trustedIssuers.forget(accountId)
    if (outcome !== 'updated') throw new ClienteleError(outcome)
    events.emit(event)
    return toTrustedIssuer(record.next)
  }
}

async function mergeChanges(
  services: Services,
  accountId: string,
  issuerId: string,
  changes: IssuerChanges,
): Promise<{ next: TrustedIssuerRecord; unchangedSince: number }> {
  const { repository, trustedIssuers, clock } = services
  const old = (await repository.trustedIssuers.list(accountId)).find(({ id }) => id === issuerId)
  if (old === undefined) throw new ClienteleError('issuer_not_found')
  const { sharedSecret, publicKeys, jwksUrl, ...others } = changes
  const newSource = withoutUndefined({ sharedSecret, publicKeys, jwksUrl })
  const oldSource = {
    sharedSecret:
      old.encryptedSecret === null
        ? undefined
        : trustedIssuers.decryptSecret(accountId, issuerId, old.encryptedSecret),
    publicKeys: old.publicKeys ?? undefined,
    jwksUrl: old.jwksUrl ?? undefined,
  }
  const merged = parseInput(newIssuerSchema, {
    ...keepFields(old, changes),
    ...withoutUndefined(others),
    ...(Object.keys(newSource).length > 0 ? newSource : withoutUndefined(oldSource)),
  })
  await checkIssuer(services, accountId, merged)
  // Later than before, so that no two states have one time.
  const updatedAt = Math.max(clock(), old.updatedAt + 1)
  const next = toIssuerRecord(services, accountId, issuerId, merged, old.createdAt, updatedAt)
  return { next, unchangedSince: old.updatedAt }
}

/** What a change that does not name it leaves as it is. */
function keepFields(old: TrustedIssuerRecord, changes: IssuerChanges): object {
  const { linkByEmail, nonce, maxAgeSeconds } = old
  const signsIn = old.signIn && changes.signIn !== false
  return {
    issuer: old.issuer,
    audience: old.audience,
    clientIdAsAudience: old.clientIdAsAudience,
    algorithms: old.algorithms,
    userClaim: old.userClaim,
    // Another claim brings its own look-up.
    ...(changes.userClaim === undefined ? { userLookup: old.userLookup } : {}),
    maxLifetimeSeconds: old.maxLifetimeSeconds,
    trustUnverifiedEmail: old.trustUnverifiedEmail,
    signIn: old.signIn,
    ...(signsIn ? { linkByEmail, nonce, maxAgeSeconds } : {}),
  }
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
