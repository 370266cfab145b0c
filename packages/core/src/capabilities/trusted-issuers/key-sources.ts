import { importJWK } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from '../../base/runtime/logger.ts'
import type { VerificationKey } from '../signing-keys/signing-key.ts'
import { algorithmsOf, type PublicJwk } from './public-jwk.ts'
import { readIssuerKeys } from './read-issuer-keys.ts'
import { RemoteKeys } from './remote-keys.ts'
import type { TrustedIssuerRecord } from './store.ts'

/** With imported keys: a few kilobytes each */
const maxSources = 1_000
/** For all key sets that were read elsewhere: enough for 20,000 issuers with two RSA keys each */
const maxKeySetBytes = 64 * 1024 * 1024
/** What a key set costs besides its text */
const keySetOverheadBytes = 1_024
const maxImported = 100
/** So many keys may a token that names none be tried with, and so many may have one id. */
export const maxCandidates = 5

export interface KeySourcesOptions {
  clock: () => number
  logger: Logger
  allowPrivateAddresses: boolean
  decryptSecret: (accountId: string, issuerId: string, encrypted: string) => string
}

type FindKeys = (algorithm: string, kid: string | undefined) => Promise<VerificationKey[]>

interface KeySource {
  /** What of the record says where the keys are */
  made: string
  find: FindKeys
}

/** Where the keys of trusted issuers come from. Each issuer of each account has a source of its own. */
export class KeySources {
  readonly #options: KeySourcesOptions
  readonly #sources = new LRUCache<string, KeySource>({ max: maxSources })
  /** Kept for longer than the sources: an issuer is not asked again because many others were used since. */
  readonly #remotes = new LRUCache<string, RemoteKeys>({ maxSize: maxKeySetBytes })

  constructor(options: KeySourcesOptions) {
    this.#options = options
  }

  /** The keys that a token of the issuer may be verified by. */
  async find(
    accountId: string,
    record: TrustedIssuerRecord,
    algorithm: string,
    kid: string | undefined,
  ): Promise<VerificationKey[]> {
    const name = nameOf(accountId, record)
    let source = this.#sources.get(name)
    if (source?.made !== describeLocation(record)) source = this.#add(accountId, record)
    return source.find(algorithm, kid)
  }

  /** Takes over keys that were read while the issuer was checked. */
  adopt(accountId: string, record: TrustedIssuerRecord, keys: readonly PublicJwk[]): void {
    this.#add(accountId, record, keys)
  }

  #add(accountId: string, record: TrustedIssuerRecord, keys?: readonly PublicJwk[]): KeySource {
    const { encryptedSecret, publicKeys } = record
    const find =
      encryptedSecret !== null
        ? this.#findSecret(accountId, record.id, encryptedSecret)
        : publicKeys !== null
          ? findAmong(async (matches) => publicKeys.filter(matches))
          : this.#findRemote(accountId, record, keys)
    const source = { made: describeLocation(record), find }
    this.#sources.set(nameOf(accountId, record), source)
    return source
  }

  #findSecret(accountId: string, issuerId: string, encrypted: string): FindKeys {
    const { logger, decryptSecret } = this.#options
    return async () => {
      try {
        return [new TextEncoder().encode(decryptSecret(accountId, issuerId, encrypted))]
      } catch (error) {
        logger.error(
          { accountId, issuerId, error },
          "A trusted issuer's shared secret cannot be decrypted: its tokens are refused.",
        )
        return []
      }
    }
  }

  #findRemote(
    accountId: string,
    record: TrustedIssuerRecord,
    first: readonly PublicJwk[] | undefined,
  ): FindKeys {
    const name = `${nameOf(accountId, record)} ${describeLocation(record)}`
    const known = first === undefined ? this.#remotes.get(name) : undefined
    const remote = known ?? this.#addRemote(name, accountId, record, first)
    return findAmong((matches) => remote.find(matches))
  }

  #addRemote(
    name: string,
    accountId: string,
    { id: issuerId, issuer, jwksUrl }: TrustedIssuerRecord,
    first: readonly PublicJwk[] | undefined,
  ): RemoteKeys {
    const { clock, logger, allowPrivateAddresses } = this.#options
    const keep = (keys: readonly PublicJwk[]) =>
      this.#remotes.set(name, remote, { size: keySetOverheadBytes + JSON.stringify(keys).length })
    const remote = new RemoteKeys({
      clock,
      first,
      read: async () => {
        const keys = await readIssuerKeys({ issuer, jwksUrl }, { accountId, allowPrivateAddresses })
        keep(keys)
        return keys
      },
      onFault: (error) =>
        logger.warn(
          { accountId, issuerId, issuer, url: jwksUrl, error },
          "A trusted issuer's keys could not be read; those known stay for an hour after they were read.",
        ),
    })
    keep(first ?? [])
    return remote
  }
}

/** Finds keys among JWKs, and imports each once. */
function findAmong(
  filter: (matches: (jwk: PublicJwk) => boolean) => Promise<PublicJwk[]>,
): FindKeys {
  const imported = new LRUCache<string, VerificationKey>({ max: maxImported })
  const importOnce = async (jwk: PublicJwk, algorithm: string) => {
    const name = `${algorithm} ${JSON.stringify(jwk)}`
    const known = imported.get(name)
    if (known !== undefined) return known
    const key = await importJWK(jwk, algorithm).catch(() => undefined)
    if (key !== undefined) imported.set(name, key)
    return key
  }
  return async (algorithm, kid) => {
    const fitting = await filter((jwk) => fits(jwk, algorithm, kid))
    const candidates = fitting.slice(0, maxCandidates)
    const keys = await Promise.all(candidates.map((jwk) => importOnce(jwk, algorithm)))
    return keys.filter((key) => key !== undefined)
  }
}

/** A token that names a key is verified by that key; one that names none by any that its algorithm fits. */
function fits(jwk: PublicJwk, algorithm: string, kid: string | undefined): boolean {
  return algorithmsOf(jwk).includes(algorithm) && (kid === undefined || jwk.kid === kid)
}

function nameOf(accountId: string, { id }: TrustedIssuerRecord): string {
  return `${accountId} ${id}`
}

function describeLocation(record: TrustedIssuerRecord): string {
  const { issuer, encryptedSecret, publicKeys, jwksUrl } = record
  return JSON.stringify([issuer, encryptedSecret, publicKeys, jwksUrl])
}
