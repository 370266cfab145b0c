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
  const { sharedSecret: secret, publicKeys = null, jwksUrl = null, ...rest } = input
  const encryptedSecret =
    secret === undefined ? null : trustedIssuers.encryptSecret(accountId, id, secret)
  return { id, ...rest, encryptedSecret, publicKeys, jwksUrl, createdAt, updatedAt }
}

export function toTrustedIssuer(record: TrustedIssuerRecord): TrustedIssuer {
  const { encryptedSecret: _, createdAt, updatedAt, ...rest } = record
  return {
    ...rest,
    keySource: nameSource(record),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

function nameSource(record: TrustedIssuerRecord): TrustedIssuer['keySource'] {
  if (record.encryptedSecret !== null) return 'shared_secret'
  if (record.publicKeys !== null) return 'public_keys'
  return record.jwksUrl === null ? 'discovery' : 'jwks_url'
}
