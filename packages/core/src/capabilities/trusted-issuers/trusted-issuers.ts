import { importJWK, type JWTPayload, jwtVerify } from 'jose'
import type { Encryptor } from '../../base/crypto/encryptor.ts'
import { purposeOf } from '../../base/crypto/stored-secrets.ts'
import { ClienteleError } from '../../base/errors.ts'
import { type ParsedToken, readHeader } from '../../base/jwt/parse-token.ts'
import { leewaySeconds, refuseByCode } from '../../base/jwt/refuse-by-code.ts'
import type { Outbound } from '../../base/outbound/outbound.ts'
import { findUrlProblem } from '../../base/outbound/outbound-url.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { SignatureTurns } from '../../base/runtime/signature-turns.ts'
import type { VerificationKey } from '../signing-keys/signing-key.ts'
import { isSameAlgorithm } from './issuer-algorithms.ts'
import { KeySources } from './key-sources.ts'
import { algorithmsOf, type PublicJwk } from './public-jwk.ts'
import { type KeyLocation, readIssuerKeys } from './read-issuer-keys.ts'
import type { TrustedIssuerRecord, TrustedIssuerStore } from './store.ts'

/** The claims of a trusted issuer's token whose signature is verified. Other claims are not checked. */
export interface IssuerTokenClaims {
  iss: string
  /** Missing only if the issuer's `clientIdAsAudience` allows that */
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
  outbound: Outbound
  allowPrivateAddresses: boolean
}

/** Changes by other processes take effect after this time at the latest, in milliseconds. */
const freshForMs = 3_000
const maxAccounts = 1_000
/** Tokens for other purposes have their own `typ` (RFC 8725, section 3.11). */
const acceptedTypes = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']

interface AccountIssuers {
  loadedAt: number
  records: Promise<TrustedIssuerRecord[]>
}

/** Whether an issuer is as it was when it was read: another time of its last change means other keys or other rules. */
export function isUnchanged(
  { id, updatedAt }: TrustedIssuerRecord,
  present: TrustedIssuerRecord | undefined,
): boolean {
  return present?.id === id && present.updatedAt === updatedAt
}

/** The other issuers that accounts trust, and the verification of their tokens. */
export class TrustedIssuers {
  readonly #options: TrustedIssuersOptions
  readonly #accounts = new LateCache<AccountIssuers>(maxAccounts)
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
    // It may have been read while the clock was ahead.
    const isFresh =
      entry !== undefined && entry.loadedAt <= now && now - entry.loadedAt < freshForMs
    if (entry === undefined || !isFresh) {
      const records = this.#options.repository.trustedIssuers.list(accountId)
      entry = { loadedAt: now, records }
      this.#accounts.set(accountId, entry)
      // A failed read is repeated by the next caller.
      records.catch(() => this.forget(accountId))
    }
    return (await entry.records).find((record) => record.issuer === issuer)
  }

  /** The same as it is now, whatever this process knows of it. */
  findLatest(accountId: string, issuer: string): Promise<TrustedIssuerRecord | undefined> {
    this.forget(accountId)
    return this.find(accountId, issuer)
  }

  /** Makes a change by this process take effect in it at once. */
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

  /** Why keys cannot be read from a URL; undefined when they can. */
  findUrlProblem(url: string): string | undefined {
    return findUrlProblem(url, this.#options.allowPrivateAddresses)
  }

  /**
   * Reads an issuer's keys from their location.
   *
   * @throws UnreadableKeys; ClienteleError `overloaded`
   */
  readKeys(accountId: string, location: KeyLocation): Promise<PublicJwk[]> {
    const { outbound, allowPrivateAddresses } = this.#options
    return readIssuerKeys(location, { outbound, accountId, allowPrivateAddresses })
  }

  /** Makes a change by this process take effect in it at once, with the keys that were read for it. */
  adopt(
    accountId: string,
    record: TrustedIssuerRecord,
    keys: readonly PublicJwk[] | undefined,
  ): void {
    this.forget(accountId)
    if (keys !== undefined) this.#keySources.adopt(accountId, record, keys)
  }

  /** Whether each key is valid: a point on its curve, well-formed numbers. */
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
   * Verifies a token of a trusted issuer with that issuer's keys, never with a key that the token contains.
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
    const hasAudience = !clientIdAsAudience || Object.hasOwn(token.payload, 'aud')
    const payload = await refuseByCode(async () => {
      const verified = await this.#options.signatures.run(accountId, () =>
        jwtVerify(token.text, key, {
          algorithms: [alg],
          issuer,
          ...(hasAudience ? { audience } : {}),
          requiredClaims: ['iss', ...(hasAudience ? ['aud'] : []), 'iat', 'exp'],
          clockTolerance: leewaySeconds,
          currentDate: new Date(this.#options.clock()),
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
    // JSON can contain numbers that parse as infinite: a time of 1e400 never comes.
    const isBounded = [iat, exp, payload.nbf ?? 0].every(Number.isFinite)
    if (!isBounded || exp - iat > maxLifetimeSeconds)
      throw new ClienteleError('token_claims_invalid')
    if (iat > Math.floor(this.#options.clock() / 1000) + leewaySeconds)
      throw new ClienteleError('token_not_yet_valid')
    if (!hasAudience && !audience.includes(readClientId(payload)))
      throw new ClienteleError('token_claims_invalid')
    return { ...payload, iss, iat, exp }
  }
}

/** The client of a token without `aud`: `client_id` (Cognito) or `azp` (Clerk). */
function readClientId(claims: JWTPayload): string {
  const named = Object.hasOwn(claims, 'client_id') ? claims.client_id : claims.azp
  return typeof named === 'string' ? named : ''
}
