import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Repository } from '@clientele/core'

const core = join(import.meta.dirname, '../../../packages/core')
/** What makes lists flat, as the built package spells it, and how often */
const ledger: [text: string, without: string, times: number][] = [
  [', noteCount(1)]', ']', 1],
  ['[noteCount(-1)]', '[]', 1],
  ['counts.foldSometimes(', 'void (', 2],
]

/**
 * Our own package without the rows that count users, so that nothing but them differs: a copy of what is built, from
 * which they are taken out. @throws when they are not found in it
 */
export async function loadWithoutCounts(): Promise<{
  openRepository: (url: string) => Repository
  remove: () => Promise<void>
}> {
  // There its dependencies are found, and git looks away.
  const folder = await mkdtemp(join(core, 'node_modules/.without-counts-'))
  await cp(join(core, 'dist'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  for (const [text, without, times] of ledger) {
    let found = 0
    for (const name of files) {
      const parts = (await readFile(join(folder, name), 'utf8')).split(text)
      found += parts.length - 1
      await writeFile(join(folder, name), parts.join(without))
    }
    if (found !== times) throw new Error(`"${text}" is there ${found} times.`)
  }
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ postgres }, { sqlite }] = await Promise.all([load('postgres.js'), load('sqlite.js')])
  return {
    openRepository: (url) =>
      url.startsWith('postgres')
        ? postgres({ connectionString: url })
        : sqlite({ filename: url.replace('sqlite:', '') }),
    remove: () => rm(folder, { recursive: true }),
  }
}
