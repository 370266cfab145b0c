import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { parseInput } from '../../base/input/input.ts'
import { changeInTurn } from '../../base/runtime/change-in-turn.ts'
import { newEvent } from '../events/new-event.ts'
import { checkIssuer, readRemoteKeys } from './check-issuer.ts'
import { toIssuerRecord, toTrustedIssuer } from './create-trusted-issuer.ts'
import { type CheckedIssuer, type issuerChangesSchema, newIssuerSchema } from './issuer-schema.ts'
import type { PublicJwk } from './public-jwk.ts'
import type { TrustedIssuersServices } from './services.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

type IssuerChanges = z.output<typeof issuerChangesSchema>

/**
 * Changes a trusted issuer; the result must obey the rules of a new one.
 *
 * @throws ClienteleError `issuer_not_found`, `issuer_taken`, `validation_failed`, `overloaded`
 */
export async function updateIssuer(
  services: TrustedIssuersServices,
  call: Call,
  issuerId: string,
  changes: IssuerChanges,
): Promise<TrustedIssuer> {
  const { repository, trustedIssuers, events, clock } = services
  const { accountId } = call
  const readKeys = createReader(services, accountId, changes)
  return changeInTurn(services, call, { name: 'issuer', id: issuerId }, async () => {
    const { old, input } = await mergeChanges(services, accountId, issuerId, changes)
    const keys = await readKeys(input)
    // Later than the previous time, so that no two states have the same time.
    const updatedAt = Math.max(clock(), old.updatedAt + 1)
    const next = toIssuerRecord(services, accountId, issuerId, input, old.createdAt, updatedAt)
    const event = newEvent(services, call, 'issuer.updated', issuerId, { issuer: next.issuer })
    const outcome = await repository.trustedIssuers.update(accountId, next, old.updatedAt, event)
    if (outcome === 'issuer_changed') return undefined
    if (outcome !== 'updated') throw new ClienteleError(outcome)
    trustedIssuers.adopt(accountId, next, keys)
    events.emit(event)
    return toTrustedIssuer(next)
  })
}

/**
 * Reads the issuer's new keys if the change concerns them: other changes are possible while the keys cannot be read.
 * After a concurrent change the keys of each location are still read only once.
 */
function createReader(services: TrustedIssuersServices, accountId: string, changes: IssuerChanges) {
  const { issuer, algorithms, sharedSecret, publicKeys, jwksUrl } = changes
  const touched = withoutUndefined({ issuer, algorithms, sharedSecret, publicKeys, jwksUrl })
  const read = new Map<string, Promise<PublicJwk[] | undefined>>()
  return async (input: CheckedIssuer): Promise<PublicJwk[] | undefined> => {
    if (Object.keys(touched).length === 0) return undefined
    const { issuer, algorithms, sharedSecret, publicKeys, jwksUrl } = input
    const place = JSON.stringify([issuer, algorithms, sharedSecret, publicKeys, jwksUrl])
    const keys = read.get(place) ?? readRemoteKeys(services, accountId, input)
    read.set(place, keys)
    return keys
  }
}

async function mergeChanges(
  services: TrustedIssuersServices,
  accountId: string,
  issuerId: string,
  changes: IssuerChanges,
): Promise<{ old: TrustedIssuerRecord; input: CheckedIssuer }> {
  const { repository, trustedIssuers } = services
  const old = (await repository.trustedIssuers.list(accountId)).find(({ id }) => id === issuerId)
  if (old === undefined) throw new ClienteleError('issuer_not_found')
  const { sharedSecret, publicKeys, jwksUrl, ...others } = changes
  const named = { sharedSecret, publicKeys, jwksUrl }
  const newKeys = without(null, withoutUndefined(named))
  const oldKeys = {
    sharedSecret:
      old.encryptedSecret === null
        ? null
        : trustedIssuers.decryptSecret(accountId, issuerId, old.encryptedSecret),
    publicKeys: old.publicKeys,
    jwksUrl: old.jwksUrl,
    ...withoutUndefined(named),
  }
  const input = parseInput(newIssuerSchema, {
    ...keepFields(old, changes),
    ...withoutUndefined(others),
    ...(Object.keys(newKeys).length > 0 ? newKeys : without(null, oldKeys)),
  })
  await checkIssuer(services, accountId, input)
  return { old, input }
}

/** The members that an update keeps if it does not name them. */
function keepFields(old: TrustedIssuerRecord, changes: IssuerChanges): object {
  const { linkByEmail, nonce, maxAgeSeconds } = old
  const signsIn = old.signIn && changes.signIn !== false
  return {
    issuer: old.issuer,
    audience: old.audience,
    clientIdAsAudience: old.clientIdAsAudience,
    algorithms: old.algorithms,
    userClaim: old.userClaim,
    // Another claim has another default look-up.
    ...(changes.userClaim === undefined ? { userLookup: old.userLookup } : {}),
    maxLifetimeSeconds: old.maxLifetimeSeconds,
    trustUnverifiedEmail: old.trustUnverifiedEmail,
    signIn: old.signIn,
    ...(signsIn ? { linkByEmail, nonce, maxAgeSeconds } : {}),
  }
}

function withoutUndefined(object: object): object {
  return without(undefined, object)
}

function without(left: null | undefined, object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== left))
}
