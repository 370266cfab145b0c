import type { Problem } from '../../api/problem.ts'

export interface ImportSettings {
  isDryRun: boolean
  onError: 'stop' | 'skip'
  onConflict: 'stop' | 'skip' | 'update'
  unknownHash: 'stop' | 'skip' | 'reset'
  /** Columns of a CSV file to ignore */
  leftOut: ReadonlySet<string>
}

/** The error of a line. */
export interface LineError {
  line: number
  code: string
  message: string
}

/** The progress of an import, and how it ended. */
export interface ImportState {
  phase: 'running' | 'paused' | 'done' | 'stopped' | 'refused'
  /** Bytes of the file that were read */
  bytes: number
  /** The last line that was sent */
  line: number
  imported: number
  updated: number
  skipped: number
  withoutPassword: number
  /** The line that ended the import before the end of the file */
  stoppedAtLine: number | null
  /** The number of errors; `errors` has only the first ones */
  errorCount: number
  errors: readonly LineError[]
  /** Why it waits */
  problem?: Problem
  /** Why the file cannot be read */
  refusal?: string
}

export const startState: ImportState = {
  phase: 'running',
  bytes: 0,
  line: 0,
  imported: 0,
  updated: 0,
  skipped: 0,
  withoutPassword: 0,
  stoppedAtLine: null,
  errorCount: 0,
  errors: [],
}

/** The server's response to a batch. */
export interface BatchResult {
  imported: number
  updated?: number
  skipped: number
  without_password?: number
  stopped_at_line?: number | null
  errors: readonly LineError[]
}
