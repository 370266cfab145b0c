import type { Call } from '../call.ts'
import { ClienteleError, type InputIssue, invalidInput } from '../errors.ts'
import { newEvent } from '../events/new-event.ts'
import type { Services } from '../services.ts'
import type { CheckedIssuer } from './issuer-schema.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

/** @throws ClienteleError `account_not_found`, `issuer_taken`, `validation_failed` */
export async function createIssuer(
  services: Services,
  call: Call,
  input: CheckedIssuer,
): Promise<TrustedIssuer> {
  const { repository, trustedIssuers, events, newId, clock } = services
  await checkIssuer(services, call.accountId, input)
  const id = newId()
  const now = clock()
  const record = toIssuerRecord(services, call.accountId, id, input, now, now)
  const event = newEvent(services, call, 'issuer.created', id, { issuer: input.issuer })
  const outcome = await repository.trustedIssuers.create(call.accountId, record, event)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  trustedIssuers.forget(call.accountId)
  events.emit(event)
  return toTrustedIssuer(record)
}

/** The rules that the schema can't know. */
export async function checkIssuer(
  { trustedIssuers, accessTokens, keySecrets }: Services,
  accountId: string,
  input: CheckedIssuer,
): Promise<void> {
  const problems: InputIssue[] = []
  if (input.issuer === accessTokens.issuerOf(accountId))
    problems.push({
      pointer: '/issuer',
      code: 'reserved',
      message: 'is the name of our own tokens',
    })
  const urlProblem =
    input.jwksUrl === undefined ? undefined : trustedIssuers.findUrlProblem(input.jwksUrl)
  if (urlProblem !== undefined)
    problems.push({ pointer: '/jwksUrl', code: 'url', message: urlProblem })
  const importable = await trustedIssuers.areImportable(input.publicKeys ?? [])
  for (const [index, isKey] of importable.entries()) {
    if (!isKey)
      problems.push({
        pointer: `/publicKeys/${index}`,
        code: 'key',
        message: 'is not a valid key',
      })
  }
  if (problems.length > 0) throw invalidInput(problems)
  if (input.sharedSecret !== undefined) await keySecrets.ensureChecked()
}

export function toIssuerRecord(
  { trustedIssuers }: Services,
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
  const { publicKeys, jwksUrl, encryptedSecret } = record
  return {
    id: record.id,
    issuer: record.issuer,
    audience: record.audience,
    clientIdAsAudience: record.clientIdAsAudience,
    algorithms: record.algorithms,
    userClaim: record.userClaim,
    userLookup: record.userLookup,
    keySource:
      encryptedSecret !== null ? 'shared_secret' : jwksUrl !== null ? 'jwks_url' : 'public_keys',
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
