import { createReadStream } from 'node:fs'
import type { ImportRecord } from '@clientele/core'
import { ClienteleError } from '@clientele/core'
import { type Options, parse } from 'csv-parse'

interface CsvRow {
  record: string[]
  info: { lines: number }
}

type Cells = { value: unknown } | { fault: string }

/**
 * Reads the line of names.
 *
 * @throws ClienteleError `configuration_invalid` when there is none, or a name is there twice
 */
export async function readHeader(file: string): Promise<string[]> {
  for await (const { record } of readRows(file, () => {}, { to: 1 })) {
    const twice = record.find((name, index) => record.indexOf(name) !== index)
    if (twice === undefined) return record
    throw new ClienteleError('configuration_invalid', `The file has the column "${twice}" twice.`)
  }
  throw new ClienteleError('configuration_invalid', 'The file has no line of names.')
}

/** Reads users from CSV that has a line of names, a record at a time from a line on. */
export async function* readCsv(
  file: string,
  fromLine: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  let names: string[] | undefined
  for await (const { record, info } of readRows(file, onBytes)) {
    if (names === undefined) names = record
    else if (info.lines >= fromLine) yield { line: info.lines, ...readCells(names, record) }
  }
}

function readRows(
  file: string,
  onBytes: (bytes: number) => void,
  options: Options = {},
): AsyncIterable<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    ...options,
  })
  createReadStream(file)
    .on('data', (chunk) => onBytes(chunk.length))
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  return parser
}

/** An empty cell says nothing; roles and metadata are JSON. */
function readCells(names: readonly string[], cells: readonly string[]): Cells {
  if (cells.length > names.length) return { fault: 'has more cells than the line of names' }
  const value: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (name === 'roles' || name === 'metadata') {
      try {
        value[name] = JSON.parse(cell)
      } catch {
        return { fault: `has ${name} that are not valid JSON` }
      }
    } else if (name === 'is_active') {
      if (!isFlag(cell)) return { fault: 'has is_active other than true, false' }
      value[name] = cell === 'true'
    } else value[name] = name === 'email_verified' && isFlag(cell) ? cell === 'true' : cell
  }
  return { value }
}

function isFlag(cell: string): boolean {
  return cell === 'true' || cell === 'false'
}
