import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../package/source-files.ts'

export interface BuiltSite {
  folder: string
  /** The path that it is built for */
  base: string
  /** What the build printed */
  output: string
  /** The routes of its pages, from the site's own root: `/guides/passkeys/` */
  routes: readonly string[]
  read(file: string): string
  remove(): Promise<void>
}

/** Builds the site as `node run.mjs website` does, for a path on its host. */
export async function buildSite(): Promise<BuiltSite> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-site-'))
  const base = '/docs/'
  const script = join(root, 'packages/website/src/build-site.ts')
  const child = spawn(process.execPath, [script, '--base', base, '--out', folder], {
    cwd: root,
    // Not that of the tests: Vite builds something else where NODE_ENV is `test`.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, 'close'),
  ])
  if (child.exitCode !== 0) throw new Error(`The site does not build.\n${output}\n${errors}`)
  const routes = globSync('**/index.html', { cwd: folder }).map(
    (file) => `/${file.replaceAll('\\', '/').replace(/index\.html$/, '')}`,
  )
  return {
    ...{ folder, base, output, routes },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
