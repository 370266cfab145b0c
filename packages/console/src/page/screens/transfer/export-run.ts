import { type Signal, signal } from '@preact/signals'
import { type Problem, toProblem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'

const limit = 1_000

interface ExportPage {
  records: readonly unknown[]
  /** Where to continue; null: this was the end */
  next: string | null
  total: number
}

export interface ExportState {
  phase: 'running' | 'paused' | 'done' | 'stopped'
  records: number
  total: number
  problem?: Problem
}

/** A running export: it continues while other screens are open. */
export class ExportRun {
  readonly state: Signal<ExportState> = signal({ phase: 'running', records: 0, total: 0 })
  /** NDJSON: the browser may keep it outside of memory */
  readonly parts: Blob[] = []
  readonly accountId: string
  #after: string | undefined

  constructor(accountId: string) {
    this.accountId = accountId
  }

  /** Continues until the end or an error; after an error it can be called again. */
  async run(): Promise<void> {
    const { records, total } = this.state.value
    this.state.value = { phase: 'running', records, total }
    while (this.state.value.phase === 'running') {
      try {
        await this.#step()
      } catch (error) {
        this.#set({ phase: 'paused', problem: toProblem(error) })
      }
    }
  }

  stop(): void {
    this.#set({ phase: 'stopped' })
  }

  async #step(): Promise<void> {
    const { data } = await request<ExportPage>('export', {
      accountId: this.accountId,
      query: { after: this.#after, limit },
    })
    const text = data.records.map((record) => `${JSON.stringify(record)}\n`).join('')
    this.parts.push(new Blob([text]))
    this.#after = data.next ?? undefined
    this.#set({ records: this.state.value.records + data.records.length, total: data.total })
    if (data.next === null) this.#set({ phase: 'done' })
  }

  #set(change: Partial<ExportState>): void {
    this.state.value = { ...this.state.value, ...change }
  }
}

/** The run that the page shows; there is one at a time. */
export const exportRun = signal<ExportRun | undefined>(undefined)
