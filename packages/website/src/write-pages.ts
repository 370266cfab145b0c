import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectPages } from './pages/collect-pages.ts'
import type { Entry, Page, Section } from './pages/page.ts'
import { locate } from './pages/repository.ts'
import { describeCommandLine } from './reference/command-line.ts'
import { describeErrors, linkErrorList } from './reference/errors.ts'
import { describeEvents } from './reference/events.ts'
import { describeFunctions, describeTypes } from './reference/functions.ts'
import { describeHttp } from './reference/http.ts'
import { describeMethods } from './reference/methods.ts'
import { describeOptions } from './reference/options.ts'
import { readDeclarations } from './reference/read-declarations.ts'
import { readOperations } from './reference/read-operations.ts'
import { describeServerSettings } from './reference/settings.ts'

/** All that VitePress renders: the pages, and the side bar that leads to them. */
export interface Site {
  pages: readonly Page[]
  sections: readonly Section[]
}

/** Draws the pages of the repository, makes those of the reference, and writes them for VitePress. */
export async function writePages(folder: string): Promise<Site> {
  const { pages: drawn, before, after, pictures } = collectPages()
  const { pages: made, entries } = await makeReference(drawn)
  const pages = [
    ...drawn.map((page) => (page.route === '/problem/' ? linkErrorList(page) : page)),
    ...made,
  ]
  const sections = [...before, { title: 'Reference', entries }, ...after]
  rmSync(folder, { recursive: true, force: true })
  for (const page of pages) writePage(folder, page)
  for (const path of pictures) cpSync(locate(path), join(folder, 'public', path))
  writeFileSync(join(folder, 'sections.json'), JSON.stringify(sections))
  return { pages, sections }
}

async function makeReference(drawn: readonly Page[]): Promise<{ pages: Page[]; entries: Entry[] }> {
  const declarations = readDeclarations()
  const api = await readOperations()
  const [methods, ...groups] = describeMethods(declarations)
  if (methods === undefined) throw new Error('There are no methods.')
  const errors = describeErrors(api.operations, [methods, ...groups])
  const options = describeOptions(declarations)
  const others = [describeFunctions(declarations), describeTypes(declarations), describeHttp(api)]
  const rest = [describeEvents(), describeServerSettings(), describeCommandLine()]
  const toEntry = ({ title, route }: Page): Entry => ({ title, link: route })
  const contract = drawn.filter(({ route }) => route === '/guides/http/')
  return {
    pages: [options, methods, ...groups, ...others, ...errors, ...rest],
    entries: [
      toEntry(options),
      { ...toEntry(methods), entries: groups.map(toEntry) },
      ...others.slice(0, 2).map(toEntry),
      ...contract.map(toEntry),
      ...others.slice(2).map(toEntry),
      { title: 'Errors', link: '/problem/', entries: errors.map(toEntry) },
      ...rest.map(toEntry),
    ],
  }
}

function writePage(folder: string, { route, title, text, source }: Page): void {
  const file = join(folder, route, 'index.md')
  const facts = [
    `source: ${JSON.stringify(source ?? null)}`,
    `editLink: ${source !== undefined}`,
    ...(text.startsWith('---\n') ? [] : [`title: ${JSON.stringify(title)}`]),
  ].join('\n')
  const begun = text.startsWith('---\n') ? text.slice(4) : `---\n\n${text}\n`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `---\n${facts}\n${begun}`)
}
