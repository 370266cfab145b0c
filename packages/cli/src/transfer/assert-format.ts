import { ClienteleError, importColumns } from '@clientele/core'
import type { ColumnMap } from './column-map.ts'
import type { FileFormat } from './file-format.ts'

const known: ReadonlySet<string> = new Set(importColumns)

/**
 * Checks the first line that is not empty: a file of the other format would fail with a message about each line.
 *
 * @throws ClienteleError `configuration_invalid` when it is a line of the other format
 */
export function assertFormat(firstLine: string, format: FileFormat, columns: ColumnMap): void {
  const isJson = /^\s*\{/.test(firstLine)
  if (format === 'csv' && isJson) {
    throw new ClienteleError(
      'configuration_invalid',
      'Nothing was imported: the file was read as CSV, and its first line is JSON. If it is NDJSON, add --format ndjson.',
    )
  }
  if (format === 'ndjson' && !isJson && looksLikeHeader(firstLine, columns)) {
    throw new ClienteleError(
      'configuration_invalid',
      'Nothing was imported: the file was read as NDJSON, and its first line is the header line of CSV. ' +
        'Add --format csv, or rename the file to end in .csv.',
    )
  }
}

function looksLikeHeader(line: string, columns: ColumnMap): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return cells.some((cell) => known.has(columns.nameOf(cell) ?? ''))
}
