import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Entry } from './pages/page.ts'
import type { Site } from './write-pages.ts'

const summary =
  '> Multi-tenant authentication for Node: each of your customers has its own users, in your database; you call it in ' +
  'process, and their backends call it over HTTP with an API key.'

/**
 * Writes what language models read: `llms.txt`, a list of the pages; each page as Markdown; and `llms-full.txt`, all of
 * them in one file.
 */
export function writeLlms(folder: string, { pages, sections }: Site, base: string): void {
  const list = (entries: readonly Entry[]): string[] =>
    entries.flatMap(({ title, link, entries: below = [] }) => [
      `- [${title}](${base}${fileOf(link)})`,
      ...list(below),
    ])
  const listed = sections.map(({ title, entries }) => `## ${title}\n\n${list(entries).join('\n')}`)
  const start = `# Clientele\n\n${summary}`
  const home = `- [The first page](${base}index.md)`
  writeFileSync(join(folder, 'llms.txt'), `${[start, home, ...listed].join('\n\n')}\n`)
  const whole = pages.map(
    ({ route, text }) => `<!-- ${base}${route.slice(1)} -->\n\n${withoutFacts(text)}`,
  )
  writeFileSync(join(folder, 'llms-full.txt'), `${[start, ...whole].join('\n\n---\n\n')}\n`)
  for (const { route, text } of pages) {
    const file = join(folder, fileOf(route))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${withoutFacts(text)}\n`)
  }
}

/** `/guides/passkeys/#enrol` is in `guides/passkeys.md`. */
function fileOf(link: string): string {
  const [route = '', anchor] = link.slice(1).split('#')
  const file = route === '' ? 'index.md' : `${route.replace(/\/$/, '')}.md`
  return anchor === undefined ? file : `${file}#${anchor}`
}

function withoutFacts(text: string): string {
  return text.replace(/^---\n.*?^---\n+/ms, '').trim()
}
