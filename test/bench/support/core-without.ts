import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { createClientele, Repository } from '@clientele/core'

const core = join(import.meta.dirname, '../../../packages/core')

/** What is taken out of the built package: how it is spelled there, what comes in its place, and how often it is there. */
export type Removal = [text: string, without: string, times: number]

/** What makes lists flat */
export const counts: readonly Removal[] = [
  [', noteCount(1), recordEvent(db)]', ', recordEvent(db)]', 1],
  ['[createUserEffects(db).noteCount(-1), recordEvent(db, {', '[recordEvent(db, {', 1],
  ['counts.foldSometimes(', 'void (', 6],
]

/** The events of users that are created, changed and deleted */
export const events: readonly Removal[] = [
  [', noteCount(1), recordEvent(db)]', ', noteCount(1)]', 1],
  ['.noteCount(-1), recordEvent(db, { person: "changed" })]', '.noteCount(-1)]', 1],
  ['follow.push(recordEvent(db, { person: "changed" }))', 'follow.push()', 1],
]

/** The code that checks in a request whether there are observers */
export const observation: readonly Removal[] = [
  ['observation?.aroundRequest === void 0 ? ', 'true ? ', 1],
  ['observation?.request?.(', 'false && observation.request(', 1],
]

const entries = ['postgres.js', 'sqlite.js', 'index.js']

/** The files that the entries load: those of an earlier build may lie beside them. */
async function findLoaded(folder: string): Promise<string[]> {
  const found = new Set(entries)
  // A set is walked to its end, with what is added meanwhile.
  for (const name of found) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const [, file = ''] of text.matchAll(/(?:from |import\(?)"\.\/([\w-]+\.js)"/g))
      found.add(file)
  }
  return [...found]
}

/**
 * Our own package without something, so that nothing but that differs: a copy of what is built, from which it is taken
 * out. @throws when it is not found
 */
export async function loadCoreWithout(removals: readonly Removal[]): Promise<{
  openRepository: (url: string) => Repository
  createClientele: typeof createClientele
  remove: () => Promise<void>
}> {
  // There its dependencies are found, and git looks away.
  const folder = await mkdtemp(join(core, 'node_modules/.without-'))
  await cp(join(core, 'dist'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const files = await findLoaded(folder)
  for (const [text, without, times] of removals) {
    let found = 0
    for (const name of files) {
      const parts = (await readFile(join(folder, name), 'utf8')).split(text)
      found += parts.length - 1
      await writeFile(join(folder, name), parts.join(without))
    }
    if (found !== times) throw new Error(`"${text}" is there ${found} times.`)
  }
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ postgres }, { sqlite }, root] = await Promise.all(entries.map(load))
  return {
    createClientele: root.createClientele,
    openRepository: (url) =>
      url.startsWith('postgres')
        ? postgres({ connectionString: url })
        : sqlite({ filename: url.replace('sqlite:', '') }),
    remove: () => rm(folder, { recursive: true }),
  }
}
