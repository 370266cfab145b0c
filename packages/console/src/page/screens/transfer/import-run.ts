import { type Signal, signal } from '@preact/signals'
import { toProblem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { askBeforeLeaving } from '../../routing/leaving.ts'
import { gatherBatch, type ImportBatch } from './import-batch.ts'
import type { ImportRecord } from './import-record.ts'
import {
  type BatchResult,
  type ImportSettings,
  type ImportState,
  type LineError,
  startState,
} from './import-state.ts'
import { readRecords } from './read-records.ts'
import { explainCsvFault } from './read-rows.ts'

const t = english.transfer
const maxErrors = 10_000

/** A running import: it continues while other screens are open. */
export class ImportRun {
  readonly state: Signal<ImportState> = signal(startState)
  readonly accountId: string
  readonly file: File
  readonly settings: ImportSettings
  readonly #records: AsyncIterator<ImportRecord>
  /** The batch without a response yet */
  #pending: ImportBatch | undefined
  #isStopping = false

  constructor(accountId: string, file: File, settings: ImportSettings) {
    this.accountId = accountId
    this.file = file
    this.settings = settings
    let bytes = 0
    this.#records = readRecords(file, settings.leftOut, (count) => {
      bytes += count
      this.#set({ bytes })
    })
  }

  /** Continues until the end or an error; after an error it can be called again. */
  async run(): Promise<void> {
    this.#isStopping = false
    this.state.value = withoutProblem(this.state.value)
    const leave = askBeforeLeaving()
    try {
      while (this.state.value.phase === 'running') await this.#step()
    } finally {
      leave()
    }
  }

  /** Stops after the running batch. */
  stop(): void {
    this.#isStopping = true
    if (this.state.value.phase === 'paused') this.#set({ phase: 'stopped' })
  }

  async #step(): Promise<void> {
    try {
      this.#pending ??= await gatherBatch(this.#records, this.settings.onError === 'stop')
    } catch (error) {
      return this.#set({ phase: 'refused', refusal: explain(error) })
    }
    if (this.#pending === undefined) return this.#set({ phase: 'done', bytes: this.file.size })
    try {
      this.#add(this.#pending, await this.#send(this.#pending))
      this.#pending = undefined
    } catch (error) {
      return this.#set({ phase: 'paused', problem: toProblem(error) })
    }
    if (this.#isStopping && this.state.value.phase === 'running') this.#set({ phase: 'stopped' })
  }

  async #send({ values, lines }: ImportBatch): Promise<BatchResult> {
    if (values.length === 0) return { imported: 0, skipped: 0, errors: [] }
    const { isDryRun, onError, onConflict, unknownHash } = this.settings
    const body = {
      records: values,
      dry_run: isDryRun,
      on_error: onError,
      on_conflict: onConflict,
      unknown_hash: unknownHash,
      first_line: 1,
    }
    const { accountId } = this
    const { data } = await request<BatchResult>('import', { method: 'POST', accountId, body })
    // The server counts records, and between them there may be lines without any.
    const lineOf = (place: number) => lines[place - 1] ?? place
    const { stopped_at_line: stoppedAt = null } = data
    return {
      ...data,
      stopped_at_line: stoppedAt === null ? null : lineOf(stoppedAt),
      errors: data.errors.map((error) => ({ ...error, line: lineOf(error.line) })),
    }
  }

  #add({ lines, faults, isCut }: ImportBatch, result: BatchResult): void {
    const { value: state } = this.state
    const { stopped_at_line: stoppedAt = null } = result
    // Lines after the one that ended the import were not read.
    const seen = stoppedAt === null ? faults : faults.filter(({ line }) => line < stoppedAt)
    const errors = [...result.errors, ...seen].sort((one, other) => one.line - other.line)
    const stoppedAtLine = stoppedAt ?? (isCut ? (faults.at(-1)?.line ?? null) : null)
    this.#set({
      phase: stoppedAtLine === null ? 'running' : 'stopped',
      line: stoppedAtLine ?? Math.max(lines.at(-1) ?? 0, faults.at(-1)?.line ?? 0),
      imported: state.imported + result.imported,
      updated: state.updated + (result.updated ?? 0),
      skipped: state.skipped + result.skipped + seen.length,
      withoutPassword: state.withoutPassword + (result.without_password ?? 0),
      stoppedAtLine,
      errorCount: state.errorCount + errors.length,
      errors: appendErrors(state.errors, errors),
    })
  }

  #set(change: Partial<ImportState>): void {
    this.state.value = { ...this.state.value, ...change }
  }
}

/** The run that the page shows; there is one at a time. */
export const importRun = signal<ImportRun | undefined>(undefined)

function appendErrors(
  known: readonly LineError[],
  more: readonly LineError[],
): readonly LineError[] {
  return more.length === 0 ? known : [...known, ...more].slice(0, maxErrors)
}

function withoutProblem({ problem: _, ...state }: ImportState): ImportState {
  return { ...state, phase: 'running' }
}

function explain(error: unknown): string {
  const csvFault = explainCsvFault(error)
  if (csvFault !== undefined) return csvFault
  if (error instanceof TypeError && error.message === t.faults.longLine) return error.message
  return error instanceof TypeError ? t.noUtf8 : t.unreadable
}
