import { stat } from 'node:fs/promises'
import {
  type Clientele,
  ClienteleError,
  type ImportProgress,
  type ImportResult,
  importColumns,
} from '@clientele/core'
import { awaitInterruption, Interrupted } from '../interrupt.ts'
import { ColumnMap, suggestColumn } from './column-map.ts'
import { formatOf } from './file-format.ts'
import { readRecords } from './read-records.ts'
import type { ImportSettings } from './report-import.ts'
import { scanFile } from './scan-file.ts'
import { type ProgressDisplay, showProgress } from './show-progress.ts'

/**
 * Imports a file, and shows the progress.
 *
 * @throws ClienteleError `configuration_invalid` when the file cannot be read, or has columns that no import takes
 * @throws UsageError for a wrong `--map`
 * @throws Interrupted
 */
export async function importFile(
  clientele: Clientele,
  {
    file,
    format: named,
    account,
    fromLine,
    maxHashMs,
    maxHashMib,
    ignore = [],
    map = [],
    ...options
  }: ImportSettings,
): Promise<ImportResult> {
  const columns = new ColumnMap(map, new Set(ignore))
  const format = formatOf(file, named)
  const found = await stat(file).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw isMissing
      ? new ClienteleError('configuration_invalid', `There is no file ${file}.`)
      : new ClienteleError('configuration_invalid', 'The file cannot be read.', { cause })
  })
  // A pipe has nothing left when it is read again, and an import of nothing would look like success.
  if (!found.isFile()) {
    throw new ClienteleError(
      'configuration_invalid',
      'Only a regular file can be imported, because it is read twice. Write the output of a pipe to a file first.',
    )
  }
  const { size } = found
  await clientele.accounts.find(account)
  const interruption = awaitInterruption()
  const { signal } = interruption
  let display: ProgressDisplay | undefined
  let bytes = 0
  let progress: ImportProgress | undefined
  try {
    const { hash, unknown } = await scanFile(file, format, fromLine, columns, signal)
    if (unknown.size > 0) throw unknownColumns(unknown)
    display = await showProgress(size, Date.now)
    const records = readRecords(file, format, fromLine, columns, (count) => {
      bytes += count
    })
    return await clientele.users.import(account, records, {
      ...options,
      hashLimits: { milliseconds: maxHashMs, mebibytes: maxHashMib },
      fromWire: true,
      largeBatches: true,
      // With other names it is another import, which does not continue this one.
      source: [hash, fromLine, ...(map.length > 0 ? [columns.text] : [])].join(':'),
      signal,
      onProgress: (now) => {
        progress = now
        display?.update(bytes, now.imported + now.updated)
      },
    })
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    throw error.saying(sayHowToResume(progress, options.dryRun ?? false))
  } finally {
    display?.stop()
    interruption.forget()
  }
}

function sayHowToResume(progress: ImportProgress | undefined, dryRun: boolean): string {
  if (dryRun) return 'Interrupted: a dry run writes nothing.'
  const where = progress === undefined ? '' : ` after ${progress.records} records, which are stored`
  return `Interrupted${where}: run the same command with the same file to continue.`
}

const maxNamed = 20

function unknownColumns(unknown: ReadonlyMap<string, number>): ClienteleError {
  const named = [...unknown].slice(0, maxNamed).map(([name, line]) => {
    return `${JSON.stringify(name)} (line ${line}${suggestColumn(name, importColumns)})`
  })
  const more = unknown.size > maxNamed ? ` and ${unknown.size - maxNamed} more` : ''
  return new ClienteleError(
    'configuration_invalid',
    `Nothing was imported: the file has columns that no import takes: ${named.join(', ')}${more}. ` +
      `Rename each with --map COLUMN=NAME, or leave it out with --ignore COLUMN. Known columns: ${importColumns.join(', ')}.`,
  )
}
