import { ClienteleError } from '../../base/errors.ts'
import { idSchema } from '../../base/input/id.ts'
import { issuerOf } from './issuer-name.ts'
import type { SigningKeysServices } from './services.ts'
import { readPublicJwk, signingAlgorithms } from './signing-key.ts'

/**
 * The document that verifiers of an account's tokens fetch from the issuer's URL (RFC 8414, OpenID Connect Discovery
 * 1.0).
 */
export interface IssuerMetadata {
  /** `iss` of the account's tokens, byte for byte */
  issuer: string
  jwks_uri: string
  introspection_endpoint: string
  token_endpoint_auth_methods_supported: string[]
  id_token_signing_alg_values_supported: string[]
  subject_types_supported: string[]
  response_types_supported: string[]
}

/**
 * The public keys of an account, including pending ones; none before its first token.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function readKeySet(
  services: SigningKeysServices,
  accountId: string,
): Promise<{ keys: object[] }> {
  // Of an unknown account no keys are read: another statement for each made-up id would take the connections of others.
  await assertAccount(services, accountId)
  const keys = await services.keyRing.list(accountId)
  return { keys: keys.map(readPublicJwk) }
}

/**
 * An account's metadata; undefined without a `publicUrl`.
 *
 * @throws ClienteleError `account_not_found`
 */
export async function readIssuerMetadata(
  services: SigningKeysServices,
  accountId: string,
): Promise<IssuerMetadata | undefined> {
  const { publicUrl } = services
  if (publicUrl === undefined) return undefined
  await assertAccount(services, accountId)
  const issuer = issuerOf(publicUrl, accountId)
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${publicUrl}/client/user/auth/introspect`,
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    // Verifiers accept only the listed algorithms. All that can ever sign a token are listed, so that verifiers need no
    // change when the algorithm changes.
    id_token_signing_alg_values_supported: [...signingAlgorithms],
    subject_types_supported: ['public'],
    // Required by the standard, and empty: there is no authorization endpoint.
    response_types_supported: [],
  }
}

/** The same for a path's account id: an id of another form names no account. */
export async function findMetadata(
  services: SigningKeysServices,
  accountId: string,
): Promise<IssuerMetadata | undefined> {
  const { success, data } = idSchema.safeParse(accountId)
  if (!success) return undefined
  return readIssuerMetadata(services, data).catch((error: unknown) => {
    if (error instanceof ClienteleError && error.code === 'account_not_found') return undefined
    throw error
  })
}

async function assertAccount(
  { repository }: SigningKeysServices,
  accountId: string,
): Promise<void> {
  if (!(await repository.accounts.exists(accountId))) throw new ClienteleError('account_not_found')
}
