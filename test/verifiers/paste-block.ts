import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../package/source-files.ts'

const guide = join(root, 'packages/core/guides/validating-tokens.md')
/** Below `node_modules`, so that only Node reads the pasted code. */
const folder = join(root, 'test/node_modules/.cache/pasted')

/** What the pages leave open: the reader's own values. */
export interface Blanks {
  issuer: string
  audience: string
  apiKey: string
  /** The reader's own program, where the framework has one */
  app?: unknown
}

/** The guide's blocks of JavaScript, each by the heading above it. */
export async function readBlocks(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(guide, 'utf8')
  const blocks = new Map<string, string>()
  let name = ''
  for (const [, heading, block] of text.matchAll(/^#+ ([^\n]+)$|^```js\n(.*?)^```$/gms)) {
    if (block === undefined) name = heading ?? ''
    else if (blocks.has(name)) throw new Error(`The guide has two blocks below "${name}".`)
    else blocks.set(name, block)
  }
  return blocks
}

/**
 * Runs a block as it stands in the guide, but for the given changes, and answers with the function `verify` that it
 * makes, if it makes one.
 */
export async function runBlock(
  block: string,
  blanks: Blanks,
  changes: readonly (readonly [from: string, to: string])[] = [],
): Promise<((token: string) => Promise<unknown>) | undefined> {
  const changed = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The block no longer says: ${from}`)
    return text.replace(from, to)
  }, block)
  const lines = changed.split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  const program = [
    ...lines.filter(isImport),
    'export async function run({ issuer, audience, apiKey, app }) {',
    ...lines.filter((line) => !isImport(line)),
    "return typeof verify === 'undefined' ? undefined : verify",
    '}',
  ]
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${randomUUID()}.mjs`)
  await writeFile(file, program.join('\n'))
  try {
    const { run } = await import(/* @vite-ignore */ pathToFileURL(file).href)
    return await run(blanks)
  } finally {
    await rm(file)
  }
}
