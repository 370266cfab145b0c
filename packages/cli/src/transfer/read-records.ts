import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { ImportRecord } from '@clientele/core'
import { parse } from 'csv-parse'

/** Reads users from a file, a record at a time from a line on: CSV with a line of names, or else NDJSON. */
export function readRecords(
  file: string,
  fromLine: number,
  onBytes: (bytes: number) => void,
): AsyncIterable<ImportRecord> {
  const read = file.toLowerCase().endsWith('.csv') ? readCsv : readNdjson
  return read(file, fromLine, onBytes)
}

async function* readNdjson(
  file: string,
  fromLine: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  let line = 0
  const input = createReadStream(file).on('data', (chunk) => onBytes(chunk.length))
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (line < fromLine || text.trim() === '') continue
    try {
      yield { line, value: JSON.parse(text) }
    } catch {
      yield { line, fault: 'is not valid JSON' }
    }
  }
}

async function* readCsv(
  file: string,
  fromLine: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  const parser = parse({
    columns: true,
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
  })
  createReadStream(file)
    .on('data', (chunk) => onBytes(chunk.length))
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  for await (const { record, info } of parser as AsyncIterable<CsvRow>) {
    if (info.lines >= fromLine) yield { line: info.lines, ...readCells(record) }
  }
}

interface CsvRow {
  record: Record<string, string | undefined>
  info: { lines: number }
}

/** An empty cell says nothing; roles and metadata are JSON. */
function readCells(
  record: Record<string, string | undefined>,
): { value: unknown } | { fault: string } {
  const value: Record<string, unknown> = {}
  for (const [name, cell] of Object.entries(record)) {
    if (cell === undefined || cell === '') continue
    if (name === 'roles' || name === 'metadata') {
      try {
        value[name] = JSON.parse(cell)
      } catch {
        return { fault: `has ${name} that are not valid JSON` }
      }
    } else if (name === 'is_active') {
      if (cell !== 'true' && cell !== 'false')
        return { fault: 'has is_active other than true, false' }
      value[name] = cell === 'true'
    } else value[name] = cell
  }
  return { value }
}
