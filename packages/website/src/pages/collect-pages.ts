import { drawBlocks } from './draw-blocks.ts'
import { escapeMarkup } from './escape-markup.ts'
import type { Entry, Page, Section } from './page.ts'
import { findPaths, isInRepository, readText } from './repository.ts'
import { rewriteLinks } from './rewrite-links.ts'
import {
  homeSource,
  type PlannedSection,
  referenceSources,
  routeOf,
  sectionsAfterReference,
  sectionsBeforeReference,
} from './sections.ts'
import { slugify } from './slugify.ts'

export interface DrawnPages {
  pages: Page[]
  before: Section[]
  after: Section[]
  /** Pictures that the pages show, as paths in the repository */
  pictures: string[]
}

const planned = [...sectionsBeforeReference, ...sectionsAfterReference]
const named = new Set([
  homeSource,
  ...referenceSources,
  ...planned.flatMap(({ sources }) => sources),
])

/** Reads every page that the repository has, and puts it in its section. */
export function collectPages(): DrawnPages {
  const sections = new Map(planned.map((section) => [section, listSources(section)]))
  const sources = new Set([...named, ...[...sections.values()].flat()].filter(isInRepository))
  const pictures: string[] = []
  const pages = [...sources].map((source): Page => {
    const rewritten = rewriteLinks(escapeMarkup(drawBlocks(readText(source))), source, sources)
    pictures.push(...rewritten.pictures)
    return { route: routeOf(source), title: titleOf(rewritten.text), text: rewritten.text, source }
  })
  const entryOf = (source: string): Entry[] =>
    pages
      .filter((page) => page.source === source)
      .map(({ title, route }) => ({ title, link: route }))
  const show = (section: PlannedSection): Section[] => {
    const parts = (section.parts ?? []).flatMap(([source, heading]) => findPart(source, heading))
    const entries = [...(sections.get(section) ?? []).flatMap(entryOf), ...parts]
    return entries.length === 0 ? [] : [{ title: section.title, entries }]
  }
  return {
    pages,
    before: sectionsBeforeReference.flatMap(show),
    after: sectionsAfterReference.flatMap(show),
    pictures: [...new Set(pictures)],
  }
}

function listSources({ sources, others }: PlannedSection): string[] {
  const unnamed = others === undefined ? [] : findPaths(others).filter((path) => !named.has(path))
  return [...sources.filter(isInRepository), ...unnamed]
}

/** A heading of a page, if the page has it. */
function findPart(source: string, heading: RegExp): Entry[] {
  const headings = [...readText(source).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const title = headings.find((each) => heading.test(each))
  return title === undefined ? [] : [{ title, link: `${routeOf(source)}#${slugify(title)}` }]
}

/** @throws Error when a page has no heading */
function titleOf(text: string): string {
  const [, given] = /^---\n.*?^title: (.+?)$.*?^---$/ms.exec(text) ?? []
  const [, heading] = /^# (.+)$/m.exec(text) ?? []
  const title = given ?? heading
  if (title === undefined) throw new Error(`A page has no heading: ${text.slice(0, 80)}`)
  return title.replaceAll('`', '')
}
