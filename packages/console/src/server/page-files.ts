import { readdir, readFile } from 'node:fs/promises'

/** Where the built page lies, seen from the built file. */
const folder = new URL('./page/', import.meta.url)

let listing: Promise<ReadonlySet<string>> | undefined
const texts = new Map<string, Promise<string>>()

/** Reads a file of the page by its name, `assets/main.js`, once; undefined for any other name. */
export async function readPageFile(name: string): Promise<string | undefined> {
  listing ??= listFiles().catch((error: unknown) => {
    // It is asked again with the next request.
    listing = undefined
    throw error
  })
  // A name that is not in the list leads nowhere.
  if (!(await listing).has(name)) return undefined
  let text = texts.get(name)
  if (text === undefined) {
    text = readFile(new URL(name, folder), 'utf8').catch((error: unknown) => {
      texts.delete(name)
      throw error
    })
    texts.set(name, text)
  }
  return text
}

async function listFiles(): Promise<ReadonlySet<string>> {
  const names = await readdir(folder, { recursive: true })
  return new Set(names.map((name) => name.replaceAll('\\', '/')))
}
