import { LRUCache } from 'lru-cache'
import type { Outbound } from '../../base/outbound/outbound.ts'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { SignatureTurns } from '../../base/runtime/signature-turns.ts'
import type { VerificationKey } from '../signing-keys/signing-key.ts'
import { fits, ImportedKeys } from './imported-keys.ts'
import type { PublicJwk } from './public-jwk.ts'
import { readIssuerKeys } from './read-issuer-keys.ts'
import { RemoteKeys } from './remote-keys.ts'
import type { TrustedIssuerRecord } from './store.ts'

/** The cache size of sources with imported keys: a few kilobytes each */
const maxSources = 1_000
/** The cache size of all remote key sets: enough for 20,000 issuers with two RSA keys each */
const maxKeySetBytes = 64 * 1024 * 1024
/** The size of a cached key set in addition to its text */
const keySetOverheadBytes = 1_024
/** How many keys are tried for a token without a key id, and how many may share an id. */
export const maxCandidates = 5

export interface KeySourcesOptions {
  clock: () => number
  logger: Logger
  signatures: SignatureTurns
  outbound: Outbound
  allowPrivateAddresses: boolean
  decryptSecret: (accountId: string, issuerId: string, encrypted: string) => string
}

type FindKeys = (algorithm: string, kid: string | undefined) => Promise<VerificationKey[]>

interface KeySource {
  /** The members of the record that determine the keys */
  made: string
  find: FindKeys
}

/** The key sources of trusted issuers. Each issuer of each account has its own source. */
export class KeySources {
  readonly #options: KeySourcesOptions
  readonly #sources = new LateCache<KeySource>(maxSources)
  /** Cached longer than the sources: an issuer is not queried again because many others were used since. */
  readonly #remotes = new LRUCache<string, RemoteKeys>({ maxSize: maxKeySetBytes })

  constructor(options: KeySourcesOptions) {
    this.#options = options
  }

  /** The keys that may verify a token of the issuer. */
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

  /** Uses keys that were read while the issuer was checked. */
  adopt(accountId: string, record: TrustedIssuerRecord, keys: readonly PublicJwk[]): void {
    this.#add(accountId, record, keys)
  }

  #add(accountId: string, record: TrustedIssuerRecord, keys?: readonly PublicJwk[]): KeySource {
    const { encryptedSecret, publicKeys } = record
    const find =
      encryptedSecret !== null
        ? this.#findSecret(accountId, record.id, encryptedSecret)
        : publicKeys !== null
          ? this.#findAmong(accountId, async (matches) => publicKeys.filter(matches))
          : this.#findRemote(accountId, record, keys)
    const source = { made: describeLocation(record), find }
    this.#sources.set(nameOf(accountId, record), source)
    return source
  }

  #findAmong(
    accountId: string,
    filter: (matches: (jwk: PublicJwk) => boolean) => Promise<PublicJwk[]>,
  ): FindKeys {
    const { signatures } = this.#options
    const imported = new ImportedKeys((importKey) => signatures.run(accountId, importKey))
    return async (algorithm, kid) => {
      const fitting = await filter((jwk) => fits(jwk, algorithm, kid))
      const candidates = fitting.slice(0, maxCandidates)
      const keys = await Promise.all(candidates.map((jwk) => imported.find(jwk, algorithm)))
      return keys.filter((key) => key !== undefined)
    }
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
    return this.#findAmong(accountId, (matches) => remote.find(matches))
  }

  #addRemote(
    name: string,
    accountId: string,
    { id: issuerId, issuer, jwksUrl }: TrustedIssuerRecord,
    first: readonly PublicJwk[] | undefined,
  ): RemoteKeys {
    const { clock, logger, outbound, allowPrivateAddresses } = this.#options
    const keep = (keys: readonly PublicJwk[]) =>
      this.#remotes.set(name, remote, { size: keySetOverheadBytes + JSON.stringify(keys).length })
    const remote = new RemoteKeys({
      clock,
      first,
      read: async () => {
        const options = { outbound, accountId, allowPrivateAddresses }
        const keys = await readIssuerKeys({ issuer, jwksUrl }, options)
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

function nameOf(accountId: string, { id }: TrustedIssuerRecord): string {
  return `${accountId} ${id}`
}

/** Made once for each reading of a record: registered keys may be long, and it is compared with each token. */
const locations = new WeakMap<TrustedIssuerRecord, string>()

function describeLocation(record: TrustedIssuerRecord): string {
  const known = locations.get(record)
  if (known !== undefined) return known
  const { issuer, encryptedSecret, publicKeys, jwksUrl } = record
  const location = JSON.stringify([issuer, encryptedSecret, publicKeys, jwksUrl])
  locations.set(record, location)
  return location
}
