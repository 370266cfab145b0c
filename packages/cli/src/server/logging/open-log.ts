import type { LogFormat } from '../settings/setting-table.ts'
import { openStandardError, type StandardError } from '../standard-error.ts'
import { formatLine } from './format-line.ts'

/**
 * Opens the log, which takes lines of JSON. Without a format, a person who reads it in a terminal gets lines for people;
 * a program, a file and CI get JSON.
 */
export function openLog(format: LogFormat | undefined): Pick<StandardError, 'write'> {
  const { write } = openStandardError()
  const isRead = process.stderr.isTTY && !process.env.CI
  if (format === 'json' || (format === undefined && !isRead)) return { write }
  return { write: (line) => write(formatLine(line)) }
}
