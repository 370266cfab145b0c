import { readdir, readFile } from 'node:fs/promises'

/** The folder of the built page, relative to this file once built. */
const folder = new URL('./page/', import.meta.url)

let listing: Promise<ReadonlySet<string>> | undefined
const texts = new Map<string, Promise<string>>()

/** Reads a file of the page by its name, `assets/main.js`, once; undefined for any other name. */
export async function readPageFile(name: string): Promise<string | undefined> {
  listing ??= listFiles().catch((error: unknown) => {
    // The next request tries again.
    listing = undefined
    throw error
  })
  // Only listed files are read: no name leads out of the folder.
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
