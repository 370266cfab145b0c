import { isPlainObject } from '../../base/input/json.ts'
import { UnreadableDocument } from '../../base/outbound/exchange/unreadable-document.ts'
import { type ReadJsonOptions, readJson } from '../../base/outbound/read-json.ts'
import { discoverJwksUri } from './discover-jwks-uri.ts'
import { findJwkProblem, type PublicJwk } from './public-jwk.ts'

/** The timeout for all documents together */
const timeoutMs = 3_000
const maxBytes = 256 * 1024
const maxKeys = 100
/** The members that define and identify a public key. Others are dropped once they were taken into account. */
const keptMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg']

/** The location of an issuer's keys: a URL, or the issuer's own documents. */
export interface KeyLocation {
  issuer: string
  jwksUrl: string | null
}

/** Why an issuer's keys cannot be read, in words for the user who chose the issuer. */
export class UnreadableKeys extends Error {
  override readonly name = 'UnreadableKeys'
}

/**
 * Reads the usable keys among the first 100 of an issuer; there must be at least one. A key is left out if it verifies no
 * signatures, or has a `kid` of more than 256 characters.
 *
 * @throws UnreadableKeys; ClienteleError `overloaded`
 */
export async function readIssuerKeys(
  { issuer, jwksUrl }: KeyLocation,
  options: Pick<ReadJsonOptions, 'outbound' | 'accountId' | 'allowPrivateAddresses'>,
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
  if (!Array.isArray(keys)) throw new UnreadableDocument('the answer is not a key set')
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

/** Other members may be of any size and depth. */
function keepTexts(jwk: PublicJwk): PublicJwk {
  return Object.fromEntries(
    keptMembers.map((name) => [name, jwk[name]]).filter(([, value]) => typeof value === 'string'),
  )
}
