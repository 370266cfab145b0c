import { LateCache } from '../base/runtime/late-cache.ts'
import { BatchLoader } from './batch-loader.ts'

const maxRemembered = 10_000

/**
 * Makes the function that tells whether a text is stored. Unknown callers may send any number of made-up texts: those
 * that arrive together share one statement, so that they do not take the connections of others.
 *
 * @param find returns those of the texts that are stored
 */
export function createIsStored(
  find: (texts: readonly string[]) => Promise<readonly string[]>,
): (text: string) => Promise<boolean> {
  const loader = new BatchLoader<string, boolean>(async (_, texts) => {
    const found = new Set(await find(texts))
    return texts.map((text) => found.has(text))
  })
  return (text) => loader.load('', text)
}

/**
 * Makes the function that does not ask again for a text that was found. Whether it is still stored, the look-up that
 * follows says itself.
 */
export function rememberStored(
  isStored: (text: string) => Promise<boolean>,
): (text: string) => Promise<boolean> {
  const known = new LateCache<true>(maxRemembered)
  return async (text) => {
    if (known.has(text)) return true
    const isFound = await isStored(text)
    if (isFound) known.set(text, true)
    return isFound
  }
}
