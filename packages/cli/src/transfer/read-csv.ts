import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ImportRecord } from '@clientele/core'
import { ClienteleError } from '@clientele/core'
import { CsvError, parse } from 'csv-parse'
import type { ColumnMap } from './column-map.ts'
import { maxLineLength } from './split-lines.ts'

interface CsvRow {
  record: string[]
  info: { lines: number }
}

type Cells = { value: unknown } | { fault: string }

/** Longer than any header line. */
const maxHeadLength = 64 * 1024

/** Our own messages, because those of csv-parse contain the cell, which may be a password. */
const faults: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: 'a cell continues after its closing quote',
  CSV_MAX_RECORD_SIZE: 'a record is too long; is a quote before it unclosed?',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  INVALID_OPENING_QUOTE: 'a cell that does not begin with a quote contains one',
}

/**
 * Reads the header line, and then the whole file, to see that it can be read.
 *
 * @param assertHead checks the header line before it is parsed
 * @throws ClienteleError `configuration_invalid` when the header line is missing or repeats a name, or the file is not valid CSV or has other
 * separators than commas
 */
export async function checkCsv(
  chunks: AsyncIterable<Buffer>,
  assertHead: (head: string) => void,
): Promise<string[]> {
  let names: string[] | undefined
  const checkHead = (head: string): void => {
    assertHead(head)
    assertCommas(head)
  }
  try {
    for await (const { record } of readRows(Readable.from(checkHeadOf(chunks, checkHead))))
      names ??= record
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { code, lines } = error
    throw new ClienteleError(
      'configuration_invalid',
      `Nothing was imported: the file is not valid CSV, at line ${lines}: ${faults[code] ?? code}.`,
    )
  }
  if (names === undefined) {
    throw new ClienteleError(
      'configuration_invalid',
      'Nothing was imported: the file is empty. The first line of a CSV file names the columns, for instance email,name.',
    )
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return names
  throw new ClienteleError(
    'configuration_invalid',
    `Nothing was imported: the file has the column "${twice}" twice.`,
  )
}

/** Checks the header line before it is parsed: with the wrong separator, quotes would look like quoting errors. */
async function* checkHeadOf(
  chunks: AsyncIterable<Buffer>,
  check: (head: string) => void,
): AsyncGenerator<Buffer> {
  let head: string | undefined = ''
  for await (const chunk of chunks) {
    if (head !== undefined) {
      head += chunk.toString('latin1')
      if (/[^\r\n][\r\n]/.test(head)) {
        check(firstLineOf(head))
        head = undefined
      } else if (head.length > maxHeadLength) head = undefined
    }
    yield chunk
  }
  if (head !== undefined) check(firstLineOf(head))
}

/** Without a byte order mark, which is three characters in Latin 1. */
function firstLineOf(text: string): string {
  const [line = ''] = text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trim()
    .split(/[\r\n]/, 1)
  return line
}

/** @throws ClienteleError `configuration_invalid` */
function assertCommas(names: string): void {
  if (names.includes(',')) return
  const separator = [';', '\t'].find((each) => names.includes(each))
  if (separator === undefined) return
  throw new ClienteleError(
    'configuration_invalid',
    `Nothing was imported: the separator of the file is ${separator === ';' ? separator : 'a tab'}, in its header line. ` +
      'Save it with commas.',
  )
}

/** Reads users from CSV with a header line, one record at a time, beginning at a line. */
export async function* readCsv(
  file: string,
  fromLine: number,
  columns: ColumnMap,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  let names: (string | undefined)[] | undefined
  /** Counts the line breaks inside of cells: csv-parse counts CR LF there as two. */
  let countedTwice = 0
  const input = createReadStream(file).on('data', (chunk) => onBytes(chunk.length))
  for await (const { record, info } of readRows(input)) {
    countedTwice += record.join().split('\r\n').length - 1
    const line = info.lines - countedTwice
    if (names === undefined) names = record.map((column) => columns.nameOf(column))
    else if (line >= fromLine) yield { line, ...readCells(names, record) }
  }
}

function readRows(input: Readable): AsyncIterable<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maxLineLength,
  })
  input.on('error', (error) => parser.destroy(error)).pipe(parser)
  return parser
}

const jsonExamples = { roles: '["admin"]', metadata: '{"plan":"pro"}' }

/** An empty cell counts as missing; roles and metadata are JSON. */
function readCells(names: readonly (string | undefined)[], cells: readonly string[]): Cells {
  if (cells.length > names.length) return { fault: 'has more cells than the header line' }
  const value: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? ''
    if (name === undefined || cell === '') continue
    if (name === 'roles' || name === 'metadata') {
      try {
        value[name] = JSON.parse(cell)
      } catch {
        return { fault: `has ${name} that are not valid JSON, such as ${jsonExamples[name]}` }
      }
    } else if (name === 'is_active' || name === 'password_expired') {
      if (!isFlag(cell)) return { fault: `has ${name} other than true, false` }
      value[name] = cell === 'true'
    } else value[name] = name === 'email_verified' && isFlag(cell) ? cell === 'true' : cell
  }
  return { value }
}

function isFlag(cell: string): boolean {
  return cell === 'true' || cell === 'false'
}
