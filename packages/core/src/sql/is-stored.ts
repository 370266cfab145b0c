import { BatchLoader } from './batch-loader.ts'

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
