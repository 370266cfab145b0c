import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { importColumns } from '@clientele/core'
import { splitLines } from './split-lines.ts'

/** What a first pass over a file says of it. */
export interface ScannedFile {
  /** Names the content: the same file goes on where its import was interrupted, a changed one begins anew. */
  hash: string
  /** The columns that no import takes, and the lines on which each is met first */
  unknown: Map<string, number>
}

const known: ReadonlySet<string> = new Set(importColumns)
/** A file of random names would otherwise be kept in memory. */
const maxUnknown = 1000

/** Reads a file once, from a line on, before anything of it is imported. */
export async function scanFile(
  file: string,
  fromLine: number,
  ignored: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ScannedFile> {
  const hash = createHash('sha256')
  const unknown = new Map<string, number>()
  const note = (name: string, line: number): void => {
    const isNew = !known.has(name) && !ignored.has(name) && !unknown.has(name)
    if (isNew && unknown.size < maxUnknown) unknown.set(name, line)
  }
  const isCsv = file.toLowerCase().endsWith('.csv')
  const input = createReadStream(file).on('data', (chunk) => hash.update(chunk))
  if (isCsv) {
    const { readHeader } = await import('./read-csv.ts')
    for (const name of await readHeader(file)) note(name, 1)
    for await (const _chunk of input) signal.throwIfAborted()
  } else {
    let line = 0
    for await (const text of splitLines(input)) {
      line++
      signal.throwIfAborted()
      if (line >= fromLine) for (const name of readNames(text)) note(name, line)
    }
  }
  return { hash: hash.digest('base64url'), unknown }
}

/** What is no JSON object is told of by its line, when it is its turn. */
function readNames(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.keys(value) : []
  } catch {
    return []
  }
}
