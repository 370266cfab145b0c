import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { checkIssuer, readRemoteKeys } from './check-issuer.ts'
import type { CheckedIssuer } from './issuer-schema.ts'
import type { TrustedIssuersServices } from './services.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

/** @throws ClienteleError `account_not_found`, `issuer_taken`, `validation_failed` */
export async function createIssuer(
  services: TrustedIssuersServices,
  call: Call,
  input: CheckedIssuer,
): Promise<TrustedIssuer> {
  const { repository, trustedIssuers, events, newId, clock } = services
  await checkIssuer(services, call.accountId, input)
  const keys = await readRemoteKeys(services, call.accountId, input)
  const id = newId()
  const now = clock()
  const record = toIssuerRecord(services, call.accountId, id, input, now, now)
  const event = newEvent(services, call, 'issuer.created', id, { issuer: input.issuer })
  const outcome = await repository.trustedIssuers.create(call.accountId, record, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  trustedIssuers.adopt(call.accountId, record, keys)
  events.emit(event)
  return toTrustedIssuer(record)
}

export function toIssuerRecord(
  { trustedIssuers }: TrustedIssuersServices,
  accountId: string,
  id: string,
  input: CheckedIssuer,
  createdAt: number,
  updatedAt: number,
): TrustedIssuerRecord {
  const { sharedSecret: secret } = input
  return {
    id,
    issuer: input.issuer,
    audience: input.audience,
    clientIdAsAudience: input.clientIdAsAudience,
    algorithms: input.algorithms,
    userClaim: input.userClaim,
    userLookup: input.userLookup,
    encryptedSecret:
      secret === undefined ? null : trustedIssuers.encryptSecret(accountId, id, secret),
    publicKeys: input.publicKeys ?? null,
    jwksUrl: input.jwksUrl ?? null,
    maxLifetimeSeconds: input.maxLifetimeSeconds,
    trustUnverifiedEmail: input.trustUnverifiedEmail,
    signIn: input.signIn,
    linkByEmail: input.linkByEmail,
    nonce: input.nonce,
    maxAgeSeconds: input.maxAgeSeconds,
    createdAt,
    updatedAt,
  }
}

export function toTrustedIssuer(record: TrustedIssuerRecord): TrustedIssuer {
  const { publicKeys, jwksUrl } = record
  return {
    id: record.id,
    issuer: record.issuer,
    audience: record.audience,
    clientIdAsAudience: record.clientIdAsAudience,
    algorithms: record.algorithms,
    userClaim: record.userClaim,
    userLookup: record.userLookup,
    keySource: nameSource(record),
    publicKeys,
    jwksUrl,
    maxLifetimeSeconds: record.maxLifetimeSeconds,
    trustUnverifiedEmail: record.trustUnverifiedEmail,
    signIn: record.signIn,
    linkByEmail: record.linkByEmail,
    nonce: record.nonce,
    maxAgeSeconds: record.maxAgeSeconds,
    createdAt: new Date(record.createdAt),
    updatedAt: new Date(record.updatedAt),
  }
}

function nameSource(record: TrustedIssuerRecord): TrustedIssuer['keySource'] {
  if (record.encryptedSecret !== null) return 'shared_secret'
  if (record.publicKeys !== null) return 'public_keys'
  return record.jwksUrl === null ? 'discovery' : 'jwks_url'
}
