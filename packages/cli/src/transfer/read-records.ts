import { createReadStream } from 'node:fs'
import type { ImportRecord } from '@clientele/core'
import { maxLineLength, splitLines } from './split-lines.ts'

/** Reads users from a file, one record at a time, beginning at a line: CSV with a header line, or else NDJSON. */
export async function* readRecords(
  file: string,
  fromLine: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  if (!file.toLowerCase().endsWith('.csv')) yield* readNdjson(file, fromLine, onBytes)
  else {
    const { readCsv } = await import('./read-csv.ts')
    yield* readCsv(file, fromLine, onBytes)
  }
}

async function* readNdjson(
  file: string,
  fromLine: number,
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
      yield { line, value: JSON.parse(text) }
    } catch {
      yield { line, fault: 'is not valid JSON: each line holds one user, as one object' }
    }
  }
}
