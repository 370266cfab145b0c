import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A paragraph, an item of a list or a row of a table, in one line */
export interface Block {
  document: string
  /** The heading that it stands below */
  heading: string
  /** The first row of the table that it is in */
  head?: string | undefined
  text: string
}

const guide = (name: string): string => `packages/core/guides/${name}.md`

/** The documents whose every paragraph has an entry */
export const documents = ['SECURITY.md', 'README.md', guide('http'), guide('events')]

/** Documents whose promises may have an entry: READMEs of packages, guides, and pages of the site */
export const otherDocuments = globSync(
  ['packages/*/{README.md,guides/*.md}', 'packages/website/pages/**/*.md'],
  { cwd: root },
).filter((page) => !documents.includes(page))

export function readBlocks(document: string): Block[] {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```$/gms, '')
  let heading = ''
  let head: string | undefined
  return text.split(/\n\n|\n(?=[-|] |\|-)/).flatMap((part) => {
    const line = part.replaceAll(/\s+/g, ' ').trim()
    if (line.startsWith('#')) heading = line
    if (!line.startsWith('|')) head = undefined
    else head ??= line
    return line === '' || /^(#|\|[-| ]+$)/.test(line)
      ? []
      : [{ document, heading, head, text: line }]
  })
}

/** The sentences of a block, as places in its text */
export function splitSentences({ text }: Block): { start: number; end: number }[] {
  const ends = [...text.matchAll(/\.(?= [A-Z`*])/g)].map(({ index }) => index + 1)
  return [...ends, text.length].map((end, index) => ({ start: ends[index - 1] ?? 0, end }))
}
