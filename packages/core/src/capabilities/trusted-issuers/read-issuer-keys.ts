import { isPlainObject } from '../../base/input/json.ts'
import {
  type ReadJsonOptions,
  readJson,
  UnreadableDocument,
} from '../../base/outbound/read-json.ts'
import { discoverJwksUri } from './discover-jwks-uri.ts'
import { findJwkProblem, type PublicJwk } from './public-jwk.ts'

/** For all documents together */
const timeoutMs = 3_000
const maxBytes = 256 * 1024
const maxKeys = 100
/** What a public key consists of, and what names it. What else it says has been obeyed once it is taken in. */
const keptMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg']

/** Where an issuer's keys are: behind a URL, or where its own documents say. */
export interface KeyLocation {
  issuer: string
  jwksUrl: string | null
}

/** Why an issuer's keys can't be read, in words for whoever chose the issuer. */
export class UnreadableKeys extends Error {
  override readonly name = 'UnreadableKeys'
}

/**
 * Reads the keys of an issuer that verify signatures: the first 100, of which there is at least one.
 *
 * @throws UnreadableKeys; ClienteleError `overloaded`
 */
export async function readIssuerKeys(
  { issuer, jwksUrl }: KeyLocation,
  options: Pick<ReadJsonOptions, 'accountId' | 'allowPrivateAddresses'>,
): Promise<PublicJwk[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  const read = (address: string) => readJson(address, { ...options, maxBytes, signal })
  if (jwksUrl !== null)
    return orUnreadable('cannot be read', async () => toKeys(await read(jwksUrl)))
  const found = await orUnreadable('cannot be discovered', () => discoverJwksUri(issuer, read))
  return orUnreadable('has a document whose key set cannot be read', async () =>
    toKeys(await read(found)),
  )
}

async function orUnreadable<T>(problem: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error
    throw new UnreadableKeys(`${problem}: ${error.message}`, { cause: error })
  }
}

function toKeys(document: unknown): PublicJwk[] {
  const keys = isPlainObject(document) ? document.keys : undefined
  if (!Array.isArray(keys)) throw new UnreadableDocument('the answer is no key set')
  const list: unknown[] = keys
  const usable = list
    .slice(0, maxKeys)
    .filter(isPlainObject)
    .filter((jwk) => findJwkProblem(jwk) === undefined)
    .map(keepTexts)
  if (usable.length === 0)
    throw new UnreadableDocument('the key set has no key that verifies signatures')
  return usable
}

/** The rest may be of any size and depth. */
function keepTexts(jwk: PublicJwk): PublicJwk {
  return Object.fromEntries(
    keptMembers.map((name) => [name, jwk[name]]).filter(([, value]) => typeof value === 'string'),
  )
}
