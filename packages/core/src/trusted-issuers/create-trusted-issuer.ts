import { type Call, originOf } from '../call.ts'
import { ClienteleError, type InputIssue, invalidInput } from '../errors.ts'
import type { Services } from '../services.ts'
import type { TrustedIssuerRecord } from './store.ts'
import type { CheckedIssuer, TrustedIssuer } from './trusted-issuer.ts'

/** @throws ClienteleError `account_not_found`, `issuer_taken`, `validation_failed` */
export async function createIssuer(
  services: Services,
  call: Call,
  input: CheckedIssuer,
): Promise<TrustedIssuer> {
  const { repository, trustedIssuers, events, newId, clock } = services
  await checkIssuer(services, input)
  const id = newId()
  const now = clock()
  const record = toIssuerRecord(services, call.accountId, id, input, now, now)
  const outcome = await repository.trustedIssuers.create(call.accountId, record)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  trustedIssuers.forget(call.accountId)
  events.emit('issuer.created', { ...originOf(call), issuerId: id, issuer: input.issuer })
  return toTrustedIssuer(record)
}

/** The rules that the schema can't know. */
export async function checkIssuer(
  { trustedIssuers, accessTokens }: Services,
  input: CheckedIssuer,
): Promise<void> {
  const problems: InputIssue[] = []
  if (input.issuer === accessTokens.issuer)
    problems.push({
      pointer: '/issuer',
      code: 'reserved',
      message: 'is the name of our own tokens',
    })
  const urlProblem =
    input.jwks_url === undefined ? undefined : trustedIssuers.findUrlProblem(input.jwks_url)
  if (urlProblem !== undefined)
    problems.push({ pointer: '/jwks_url', code: 'url', message: urlProblem })
  const importable = await trustedIssuers.areImportable(input.public_keys ?? [])
  for (const [index, isKey] of importable.entries()) {
    if (!isKey)
      problems.push({
        pointer: `/public_keys/${index}`,
        code: 'key',
        message: 'is not a valid key',
      })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

export function toIssuerRecord(
  { trustedIssuers }: Services,
  accountId: string,
  id: string,
  input: CheckedIssuer,
  createdAt: number,
  updatedAt: number,
): TrustedIssuerRecord {
  const { shared_secret: secret } = input
  return {
    id,
    issuer: input.issuer,
    audience: input.audience,
    algorithms: input.algorithms,
    userClaim: input.user_claim,
    encryptedSecret: secret === undefined ? null : trustedIssuers.seal(accountId, id, secret),
    publicKeys: input.public_keys ?? null,
    jwksUrl: input.jwks_url ?? null,
    maxLifetimeSeconds: input.max_lifetime_seconds,
    trustUnverifiedEmail: input.trust_unverified_email,
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
    algorithms: record.algorithms,
    user_claim: record.userClaim,
    key_source:
      encryptedSecret !== null ? 'shared_secret' : jwksUrl !== null ? 'jwks_url' : 'public_keys',
    public_keys: publicKeys,
    jwks_url: jwksUrl,
    max_lifetime_seconds: record.maxLifetimeSeconds,
    trust_unverified_email: record.trustUnverifiedEmail,
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  }
}
