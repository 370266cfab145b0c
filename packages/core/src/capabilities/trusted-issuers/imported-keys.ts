import { importJWK } from 'jose'
import { LateCache } from '../../base/runtime/late-cache.ts'
import type { VerificationKey } from '../signing-keys/signing-key.ts'
import { algorithmsOf, type PublicJwk } from './public-jwk.ts'

const maxImported = 100

interface JwkFacts {
  /** Short: the key itself may be long, and is looked for with each token. */
  name: number
  algorithms: readonly string[]
}

let latestName = 0
const known = new WeakMap<PublicJwk, JwkFacts>()

/** A token with a key id is verified by that key; one without by any key that fits its algorithm. */
export function fits(jwk: PublicJwk, algorithm: string, kid: string | undefined): boolean {
  return (kid === undefined || jwk.kid === kid) && factsOf(jwk).algorithms.includes(algorithm)
}

/** The keys of one issuer, each imported once for an algorithm, also where it turns out to be none. */
export class ImportedKeys {
  readonly #takeTurn: (importKey: () => Promise<VerificationKey>) => Promise<VerificationKey>
  readonly #imported = new LateCache<Promise<VerificationKey | undefined>>(maxImported)

  /** @param takeTurn runs an import, which takes time of the event loop, in its turn */
  constructor(takeTurn: (importKey: () => Promise<VerificationKey>) => Promise<VerificationKey>) {
    this.#takeTurn = takeTurn
  }

  /** Undefined: it is no valid key. */
  find(jwk: PublicJwk, algorithm: string): Promise<VerificationKey | undefined> {
    const name = `${algorithm} ${factsOf(jwk).name}`
    const found = this.#imported.get(name)
    if (found !== undefined) return found
    const key = this.#takeTurn(() => importJWK(jwk, algorithm)).catch(() => undefined)
    this.#imported.set(name, key)
    return key
  }
}

function factsOf(jwk: PublicJwk): JwkFacts {
  let facts = known.get(jwk)
  if (facts === undefined) {
    facts = { name: ++latestName, algorithms: algorithmsOf(jwk) }
    known.set(jwk, facts)
  }
  return facts
}
