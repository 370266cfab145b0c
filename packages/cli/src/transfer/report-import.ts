import type { ImportError, ImportOptions, ImportProgress, ImportResult } from '@clientele/core'
import type { FileFormat } from './file-format.ts'

/** The options of the command. */
export interface ImportSettings
  extends Pick<
    ImportOptions,
    | 'dryRun'
    | 'onError'
    | 'onConflict'
    | 'unknownHash'
    | 'events'
    | 'invite'
    | 'locale'
    | 'expirePasswords'
  > {
  file: string
  format?: FileFormat
  account: string
  fromLine: number
  /** The maximum for verifying one password hash */
  maxHashMs: number
  /** The maximum for verifying one password hash */
  maxHashMib: number
  ignore?: string[]
  /** `COLUMN=NAME` each */
  map?: string[]
}

/** Formats the result of an import, and the next step. */
export function reportImport(
  result: ImportResult,
  settings: ImportSettings,
): { text: string; exitCode: number } {
  const { imported, updated, skipped, conflicts, withoutPassword, stoppedAtLine, earlier } = result
  const last = result.errors.at(-1)
  // The line that ended the import was refused: whoever asked for no line to be skipped would read the opposite.
  const refused = stoppedAtLine === null ? undefined : last
  const left = skipped - (refused === undefined ? 0 : 1)
  const taken = conflicts - (refused !== undefined && isConflict(refused) ? 1 : 0)
  const counts = [
    `${settings.dryRun ? 'Would be imported' : 'Imported'}: ${imported}`,
    ...(settings.onConflict === 'update' ? [`updated: ${updated}`] : []),
    `skipped: ${left}${taken > 0 ? ` (${taken} taken)` : ''}`,
    ...(refused === undefined ? [] : [`refused: line ${refused.line}`]),
    `without a password: ${withoutPassword}`,
    ...(settings.invite ? [sayWhoIsInvited(result)] : []),
  ]
  if (imported + updated + skipped === 0)
    counts.push(
      `the file has no users${settings.fromLine > 1 ? ` from line ${settings.fromLine} on` : ''}`,
    )
  const lines = earlier === null ? [] : [sayWhatWasDone(earlier, settings)]
  lines.push(...result.errors.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`))
  lines.push(
    ...result.uninvited.map(
      ({ line, code, message }) => `line ${line}: imported, not invited: ${code}: ${message}`,
    ),
  )
  if (refused !== undefined) lines.push(sayHowToGoOn(refused))
  // With `--on-conflict skip`, conflicts are expected.
  const leftOut = settings.onConflict === 'skip' ? skipped - conflicts : skipped
  const exitCode = stoppedAtLine !== null ? 1 : leftOut > 0 || result.uninvited.length > 0 ? 2 : 0
  return { text: [counts.join(', '), ...lines].join('\n'), exitCode }
}

function sayWhoIsInvited({ invited, uninvited }: ImportResult): string {
  return `invited: ${invited}${uninvited.length > 0 ? ' (see below for the others)' : ''}`
}

/** A continued import counts all of its runs. */
function sayWhatWasDone(
  { records, imported, updated, skipped }: ImportProgress,
  { onConflict }: ImportSettings,
): string {
  const changed = onConflict === 'update' ? `, ${updated} updated` : ''
  return (
    `This run continued an earlier one, after ${records} records. The earlier part of these figures: ` +
    `${imported} imported${changed}, ${skipped} skipped.`
  )
}

function isConflict({ code }: ImportError): boolean {
  return code === 'email_taken' || code === 'id_taken'
}

function sayHowToGoOn(error: ImportError): string {
  const { line, message } = error
  const isTaken = isConflict(error)
  const isHash = message.startsWith('/password_hash')
  const option = isTaken ? '--on-conflict skip' : '--on-error skip'
  const more = isTaken ? ' (or update)' : isHash ? ' (or --unknown-hash reset)' : ''
  return (
    `Stopped at line ${line}: no line after it was read. To skip it, run the same command with ${option}${more}. ` +
    `Or correct the line, and run it with --from-line ${line}.`
  )
}
