import { createReadStream } from 'node:fs'
import type { ImportRecord } from '@clientele/core'
import { isObject } from '../is-object.ts'
import type { ColumnMap } from './column-map.ts'
import type { FileFormat } from './file-format.ts'
import { maxLineLength, splitLines } from './split-lines.ts'

/** Reads users from a file, one record at a time, beginning at a line. */
export async function* readRecords(
  file: string,
  format: FileFormat,
  fromLine: number,
  columns: ColumnMap,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  if (format === 'ndjson') yield* readNdjson(file, fromLine, columns, onBytes)
  else {
    const { readCsv } = await import('./read-csv.ts')
    yield* readCsv(file, fromLine, columns, onBytes)
  }
}

async function* readNdjson(
  file: string,
  fromLine: number,
  columns: ColumnMap,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  let line = 0
  const input = createReadStream(file).on('data', (chunk) => onBytes(chunk.length))
  for await (const text of splitLines(input)) {
    line++
    if (line < fromLine || text?.trim() === '') continue
    if (text === undefined) {
      yield { line, fault: `has more than ${maxLineLength} characters` }
      continue
    }
    try {
      const value: unknown = JSON.parse(text)
      yield { line, value: isObject(value) ? columns.rename(value) : value }
    } catch {
      yield { line, fault: 'is not valid JSON: each line holds one user, as one object' }
    }
  }
}
