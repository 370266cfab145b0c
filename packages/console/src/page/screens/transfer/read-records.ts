import { english } from '../../english.ts'
import { cellsToRecord, type ImportRecord, importColumns, toRecord } from './import-record.ts'
import { readRows } from './read-rows.ts'

/** Far more than any valid line. */
const maxLineLength = 1024 * 1024

/** Small, so that progress is reported often. */
const sliceBytes = 64 * 1024

function isCsv(file: File): boolean {
  return file.name.toLowerCase().endsWith('.csv')
}

/**
 * Reads a file slice by slice, one record at a time: CSV if its name says so, otherwise NDJSON. The whole file is never in
 * memory.
 *
 * @throws CsvError; TypeError when it is not UTF-8; DOMException when it cannot be read
 */
export async function* readRecords(
  file: File,
  leftOut: ReadonlySet<string>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRecord> {
  if (!isCsv(file)) {
    for await (const { text, line } of readLines(file, onBytes)) yield toRecord(text, line)
    return
  }
  let names: string[] | undefined
  for await (const { cells, line } of readRows(readText(file, onBytes))) {
    if (names === undefined) names = cells
    else yield cellsToRecord(names, cells, line, leftOut)
  }
}

/** The columns of a CSV file that an import does not know; empty for other files. */
export async function findUnknownColumns(file: File): Promise<string[]> {
  if (!isCsv(file)) return []
  for await (const { cells } of readRows(readText(file, () => {})))
    return cells.filter((name) => !importColumns.has(name))
  return []
}

/** Lines that are not empty, with their numbers. */
async function* readLines(
  file: File,
  onBytes: (bytes: number) => void,
): AsyncGenerator<{ text: string; line: number }> {
  let rest = ''
  let line = 0
  for await (const text of readText(file, onBytes)) {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() ?? ''
    if (rest.length > maxLineLength) throw new TypeError(english.transfer.faults.longLine)
    for (const piece of pieces) {
      line++
      if (piece.trim() !== '') yield { text: piece, line }
    }
  }
  if (rest.trim() !== '') yield { text: rest, line: line + 1 }
}

/** The text of the file, without a byte order mark; no character is cut in two. */
async function* readText(file: File, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < file.size; at += sliceBytes) {
    const bytes = await file.slice(at, at + sliceBytes).arrayBuffer()
    onBytes(bytes.byteLength)
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder.decode()
}
