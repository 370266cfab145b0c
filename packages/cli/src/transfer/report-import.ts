import type { ImportError, ImportOptions, ImportResult } from '@clientele/core'

/** What the command line was given. */
export interface ImportSettings
  extends Pick<ImportOptions, 'dryRun' | 'onError' | 'onConflict' | 'unknownHash' | 'events'> {
  file: string
  account: string
  fromLine: number
  /** Of one password hash */
  maxHashMs: number
  /** Of one password hash */
  maxHashMib: number
  ignore?: string[]
}

/** Says what an import has come to, and how it goes on. */
export function reportImport(
  result: ImportResult,
  settings: ImportSettings,
): { text: string; exitCode: number } {
  const { imported, updated, skipped, conflicts, withoutPassword, stoppedAtLine } = result
  const counts = [
    `${settings.dryRun ? 'Would be imported' : 'Imported'}: ${imported}`,
    ...(settings.onConflict === 'update' ? [`updated: ${updated}`] : []),
    `skipped: ${skipped}${conflicts > 0 ? ` (${conflicts} taken)` : ''}`,
    `without a password: ${withoutPassword}`,
  ]
  const lines = result.errors.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`)
  const last = result.errors.at(-1)
  const isStopped = stoppedAtLine !== null
  if (isStopped && last !== undefined) lines.push(sayHowToGoOn(last))
  // Whoever asked for them to be skipped expected them.
  const leftOut = settings.onConflict === 'skip' ? skipped - conflicts : skipped
  const exitCode = isStopped ? 1 : leftOut > 0 ? 2 : 0
  return { text: [counts.join(', '), ...lines].join('\n'), exitCode }
}

function sayHowToGoOn({ line, code, message }: ImportError): string {
  const isConflict = code === 'email_taken' || code === 'id_taken'
  const isHash = message.startsWith('/password_hash')
  const option = isConflict ? '--on-conflict skip' : '--on-error skip'
  const more = isConflict ? ' (or update)' : isHash ? ' (or --unknown-hash reset)' : ''
  return (
    `To leave line ${line} out, run the same command with ${option}${more}. ` +
    `Or mend the line, and run it with --from-line ${line}.`
  )
}
