import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { findDeadLinks } from './checks/find-dead-links.ts'
import { writeLlms } from './write-llms.ts'
import { writePages } from './write-pages.ts'

// node run.mjs website [--base /path/] [--out folder]: the site is in dist/site, for the root of its host.
const folder = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(folder, 'dist/site') },
  },
})
const { base, out: output } = values

const site = await writePages(join(folder, 'dist/pages'))
await build(folder, { base, outDir: output })
writeLlms(output, site, base)
const dead = findDeadLinks(output, base)
for (const link of dead) console.error(`Dead link: ${link}`)
if (dead.length > 0) process.exitCode = 1
else console.log(`${site.pages.length} pages are in ${output}`)
