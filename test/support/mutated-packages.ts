import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const core = join(import.meta.dirname, '../../packages/core')

/** A change of the built code: all places with this text get the other. */
export type Edit = readonly [text: string | RegExp, other: string]

export interface MutatedPackage {
  /** The URL of its `index.js` */
  url: string
  remove(): Promise<void>
}

/** Copies the built `@clientele/core` to a temporary folder and changes its code, to see what notices. */
export async function mutateCore(edits: readonly Edit[]): Promise<MutatedPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-mutated-'))
  const dist = join(folder, 'dist')
  const filter = (path: string): boolean => !/\.(map|d\.ts)$/.test(path)
  await cp(join(core, 'dist'), dist, { recursive: true, filter })
  await cp(join(core, 'package.json'), join(folder, 'package.json'))
  await symlink(join(core, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const names = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'))
  const left = new Set(edits)
  for (const name of names) {
    const before = await readFile(join(dist, name), 'utf8')
    let after = before
    for (const edit of edits) {
      const [text, other] = edit
      const changed = after.replaceAll(text, other)
      if (changed !== after) left.delete(edit)
      after = changed
    }
    if (after !== before) await writeFile(join(dist, name), after)
  }
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  if (left.size > 0) {
    await remove()
    throw new Error(`The build no longer has this: ${[...left].map(([text]) => text).join('; ')}`)
  }
  return { url: pathToFileURL(join(dist, 'index.js')).href, remove }
}
