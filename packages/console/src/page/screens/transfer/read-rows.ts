import type { CsvError, Info } from 'csv-parse/browser/esm'
import { english } from '../../english.ts'

const { csvFaults } = english.transfer

/** A row of CSV, and the line on which it ends. */
export interface CsvRow {
  cells: string[]
  line: number
}

interface ParsedRow {
  record: string[]
  info: Info
}

/** Far more than any valid row: a longer one has an unclosed quote. */
const maxRowBytes = 1024 * 1024

/**
 * Reads CSV (RFC 4180) in pieces, wherever they are cut. Empty rows are skipped.
 *
 * @throws CsvError
 */
export async function* readRows(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  // Half as large as the page itself, and only an import of CSV needs it.
  const { parse } = await import('csv-parse/browser/esm')
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maxRowBytes,
  })
  const rows: CsvRow[] = []
  /** Counts the line breaks inside of cells: csv-parse counts CR LF there as two. */
  let countedTwice = 0
  parser.on('data', ({ record, info }: ParsedRow) => {
    countedTwice += record.join().split('\r\n').length - 1
    rows.push({ cells: record, line: info.lines - countedTwice })
  })
  const ended = new Promise<void>((resolve, reject) => {
    parser.once('end', resolve).once('error', reject)
  })
  for await (const piece of checkSeparator(pieces)) {
    const written = new Promise<void>((resolve) => {
      parser.write(piece, () => resolve())
    })
    await Promise.race([written, ended])
    yield* rows.splice(0)
  }
  parser.end()
  await ended
  yield* rows
}

/** Checks the separator of the header line before it is parsed: with the wrong separator, quotes would look like errors. */
async function* checkSeparator(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let head: string | undefined = ''
  for await (const piece of pieces) {
    if (head !== undefined) {
      head += piece
      if (/[^\r\n][\r\n]/.test(head) || head.length > maxRowBytes) {
        assertCommas(head)
        head = undefined
      }
    }
    yield piece
  }
  if (head !== undefined) assertCommas(head)
}

function assertCommas(text: string): void {
  const [names = ''] = text.trim().split(/[\r\n]/, 1)
  if (names.includes(',') || !/[;\t]/.test(names)) return
  throw Object.assign(new Error(csvFaults.SEPARATOR), { code: 'SEPARATOR', lines: 1 })
}

/** Describes an error in CSV, with its line; undefined for other errors. */
export function explainCsvFault(error: unknown): string | undefined {
  if (!isCsvError(error)) return undefined
  const fault = Object.entries(csvFaults).find(([code]) => code === error.code)?.[1]
  return english.transfer.noCsv(Number(error.lines), fault ?? error.code)
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && 'lines' in error
}
