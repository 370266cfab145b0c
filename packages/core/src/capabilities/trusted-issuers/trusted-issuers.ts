import { importJWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type ParsedToken, readHeader } from '../../base/jwt/parse-token.ts'
import { leewaySeconds, refuseByCode } from '../../base/jwt/refuse-by-code.ts'
import { findUrlProblem } from '../../base/outbound/outbound-url.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { SignatureTurns } from '../../base/runtime/signature-turns.ts'
import type { VerificationKey } from '../signing-keys/signing-key.ts'
import { isSameAlgorithm } from './issuer-algorithms.ts'
import { KeySources } from './key-sources.ts'
import { algorithmsOf, type PublicJwk } from './public-jwk.ts'
import { type KeyLocation, readIssuerKeys } from './read-issuer-keys.ts'
import type { TrustedIssuerRecord, TrustedIssuerStore } from './store.ts'

/** What a token of a trusted issuer says, once its signature has been verified. Only these claims have been looked at. */
export interface IssuerTokenClaims {
  iss: string
  /** Missing only where the issuer's `clientIdAsAudience` lets it */
  aud?: string | string[]
  /** Seconds since the epoch, as `exp` is (RFC 7519) */
  iat: number
  exp: number
  [claim: string]: unknown
}

export interface TrustedIssuersOptions {
  repository: { trustedIssuers: TrustedIssuerStore }
  encryptor: Encryptor
  signatures: SignatureTurns
  clock: () => number
  logger: Logger
  allowPrivateAddresses: boolean
}

/** Other processes' changes are seen after this time at the latest, in milliseconds. */
const freshForMs = 3_000
const maxAccounts = 1_000
/** Tokens for another purpose say so in `typ` (RFC 8725, section 3.11). */
const acceptedTypes = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']

interface AccountIssuers {
  loadedAt: number
  records: Promise<TrustedIssuerRecord[]>
}

/** The issuers that accounts trust beside us, and the verification of their tokens. */
export class TrustedIssuers {
  readonly #options: TrustedIssuersOptions
  readonly #accounts = new LRUCache<string, AccountIssuers>({ max: maxAccounts })
  readonly #keySources: KeySources

  constructor(options: TrustedIssuersOptions) {
    this.#options = options
    this.#keySources = new KeySources({
      ...options,
      decryptSecret: (...secret) => this.decryptSecret(...secret),
    })
  }

  /** The account's record of that issuer. */
  async find(accountId: string, issuer: string): Promise<TrustedIssuerRecord | undefined> {
    const now = this.#options.clock()
    let entry = this.#accounts.get(accountId)
    if (entry === undefined || now - entry.loadedAt >= freshForMs) {
      const records = this.#options.repository.trustedIssuers.list(accountId)
      entry = { loadedAt: now, records }
      this.#accounts.set(accountId, entry)
      // What failed is asked again by the next one.
      records.catch(() => this.forget(accountId))
    }
    return (await entry.records).find((record) => record.issuer === issuer)
  }

  /** Makes a change of this process visible to it at once. */
  forget(accountId: string): void {
    this.#accounts.delete(accountId)
  }

  encryptSecret(accountId: string, issuerId: string, secret: string): string {
    return this.#options.encryptor.encrypt(secret, purposeOf('trusted issuer', accountId, issuerId))
  }

  /** @throws ClienteleError `secret_wrong` */
  decryptSecret(accountId: string, issuerId: string, encrypted: string): string {
    return this.#options.encryptor.decrypt(
      encrypted,
      purposeOf('trusted issuer', accountId, issuerId),
    )
  }

  /** Why keys can't be read from a URL; undefined when they can. */
  findUrlProblem(url: string): string | undefined {
    return findUrlProblem(url, this.#options.allowPrivateAddresses)
  }

  /**
   * Reads an issuer's keys from where they are.
   *
   * @throws UnreadableKeys; ClienteleError `overloaded`
   */
  readKeys(accountId: string, location: KeyLocation): Promise<PublicJwk[]> {
    const { allowPrivateAddresses } = this.#options
    return readIssuerKeys(location, { accountId, allowPrivateAddresses })
  }

  /** Makes a change of this process visible to it at once, with the keys that were read for it. */
  adopt(
    accountId: string,
    record: TrustedIssuerRecord,
    keys: readonly PublicJwk[] | undefined,
  ): void {
    this.forget(accountId)
    if (keys !== undefined) this.#keySources.adopt(accountId, record, keys)
  }

  /** Whether each of the keys is one: a point on its curve, numbers that are numbers. */
  async areImportable(keys: readonly PublicJwk[]): Promise<boolean[]> {
    return Promise.all(
      keys.map((jwk) =>
        importJWK(jwk, algorithmsOf(jwk)[0]).then(
          () => true,
          () => false,
        ),
      ),
    )
  }

  /**
   * Verifies a token of an issuer that the account trusts: by that issuer's keys, never by one that the token names.
   *
   * @throws ClienteleError one of the `token_*` codes
   */
  async verify(
    accountId: string,
    issuer: TrustedIssuerRecord,
    token: ParsedToken,
  ): Promise<IssuerTokenClaims> {
    const { alg, kid } = readHeader(token)
    if (!issuer.algorithms.some((name) => isSameAlgorithm(name, alg)))
      throw new ClienteleError('token_unknown_key')
    const keys = await this.#keySources.find(accountId, issuer, alg, kid)
    let refusal = new ClienteleError('token_unknown_key')
    for (const key of keys) {
      try {
        return await this.#verifyWith(accountId, key, alg, issuer, token)
      } catch (error) {
        if (!(error instanceof ClienteleError)) throw error
        refusal = error
        if (error.code !== 'token_signature_invalid') break
      }
    }
    throw refusal
  }

  async #verifyWith(
    accountId: string,
    key: VerificationKey,
    alg: string,
    { issuer, audience, clientIdAsAudience, maxLifetimeSeconds }: TrustedIssuerRecord,
    token: ParsedToken,
  ): Promise<IssuerTokenClaims> {
    const now = this.#options.clock()
    const hasAudience = !clientIdAsAudience || Object.hasOwn(token.payload, 'aud')
    const payload = await refuseByCode(async () => {
      const verified = await this.#options.signatures.run(accountId, () =>
        jwtVerify(token.text, key, {
          algorithms: [alg],
          issuer,
          ...(hasAudience ? { audience } : {}),
          requiredClaims: ['iss', ...(hasAudience ? ['aud'] : []), 'iat', 'exp'],
          clockTolerance: leewaySeconds,
          currentDate: new Date(now),
        }),
      )
      const { typ } = verified.protectedHeader
      if (typ !== undefined && !acceptedTypes.includes(String(typ).toLowerCase()))
        throw new ClienteleError('token_claims_invalid')
      return verified
    })
    const { iss, iat, exp } = payload
    if (iss === undefined || iat === undefined || exp === undefined)
      throw new ClienteleError('token_claims_invalid')
    // JSON has numbers that are infinite once they are read: 1e400 never comes.
    const isBounded = [iat, exp, payload.nbf ?? 0].every(Number.isFinite)
    if (!isBounded || exp - iat > maxLifetimeSeconds)
      throw new ClienteleError('token_claims_invalid')
    if (iat > Math.floor(now / 1000) + leewaySeconds)
      throw new ClienteleError('token_not_yet_valid')
    if (!hasAudience && !audience.includes(readClientId(payload)))
      throw new ClienteleError('token_claims_invalid')
    return { ...payload, iss, iat, exp }
  }
}

/** Which client a token without `aud` is for: `client_id` (Cognito) or `azp` (Clerk). */
function readClientId(claims: JWTPayload): string {
  const named = Object.hasOwn(claims, 'client_id') ? claims.client_id : claims.azp
  return typeof named === 'string' ? named : ''
}
