import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ClienteleError, importColumns } from '@clientele/core'
import { isObject } from '../is-object.ts'
import { assertFormat } from './assert-format.ts'
import type { ColumnMap } from './column-map.ts'
import type { FileFormat } from './file-format.ts'
import { splitLines } from './split-lines.ts'
import { Utf8Check } from './utf8-check.ts'

/** The result of a first pass over a file. */
export interface ScannedFile {
  /** A hash of the content: an interrupted import of the same file continues, that of a changed file starts again. */
  hash: string
  /** The unknown columns, with the first line of each */
  unknown: Map<string, number>
}

const known: ReadonlySet<string> = new Set(importColumns)
/** Otherwise a file of random names would fill the memory. */
const maxUnknown = 1000

/**
 * Reads a file once, beginning at a line, before anything of it is imported.
 *
 * @throws ClienteleError `configuration_invalid` when it is not text, not in its format, or lacks a mapped
 *   column
 */
export async function scanFile(
  file: string,
  format: FileFormat,
  fromLine: number,
  columns: ColumnMap,
  signal: AbortSignal,
): Promise<ScannedFile> {
  const hash = createHash('sha256')
  const unknown = new Map<string, number>()
  const note = (names: readonly string[], line: number): void => {
    columns.note(names, line)
    for (const column of names) {
      const name = columns.nameOf(column)
      const isNew = name !== undefined && !known.has(name) && !unknown.has(column)
      if (isNew && unknown.size < maxUnknown) unknown.set(column, line)
    }
  }
  const chunks = readText(file, (chunk) => {
    signal.throwIfAborted()
    hash.update(chunk)
  })
  if (format === 'csv') {
    const { checkCsv } = await import('./read-csv.ts')
    note(await checkCsv(chunks, (head) => assertFormat(head, format, columns)), 1)
  } else {
    let line = 0
    let isFirst = true
    for await (const text of splitLines(chunks)) {
      line++
      signal.throwIfAborted()
      if (isFirst && text?.trim() !== '') {
        if (text !== undefined) assertFormat(text, format, columns)
        isFirst = false
      }
      if (line >= fromLine && text !== undefined) note(readNames(text), line)
    }
  }
  columns.assertFound(unknown.keys())
  return { hash: hash.digest('base64url'), unknown }
}

/** @throws ClienteleError `configuration_invalid` when it is not UTF-8 */
async function* readText(file: string, onChunk: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  const check = new Utf8Check()
  const assertSound = (brokenLine: number | undefined): void => {
    if (brokenLine === undefined) return
    throw new ClienteleError(
      'configuration_invalid',
      `Nothing was imported: the file is not UTF-8, at line ${brokenLine}. Save it as UTF-8.`,
    )
  }
  for await (const chunk of createReadStream(file)) {
    onChunk(chunk)
    assertSound(check.add(chunk))
    yield chunk
  }
  assertSound(check.end())
}

/** A line that is not a JSON object is reported when the import reaches it. */
function readNames(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}
