import { z } from 'zod'
import type { AccountRules } from '../domain/account.ts'
import { aFunction } from '../domain/configuration.ts'
import type { ImportError, ImportRecord } from '../domain/import-record.ts'
import { parseArgument } from '../domain/input.ts'
import { isPlainObject, isStorableText, measureJson } from '../domain/json.ts'
import { ClienteleError } from '../errors.ts'
import type { ImportProgress } from '../repository.ts'
import { type ImportSchema, type PreparedImport, prepareImport } from './prepare-import.ts'
import { SeenEmails } from './seen-emails.ts'
import type { Services } from './services.ts'

export interface ImportOptions {
  /** Writes nothing and says what would be said. @default false */
  dryRun?: boolean
  /** Whether a bad record ends the import, with all before it imported, or is left out. @default 'stop' */
  onError?: 'stop' | 'skip'
  /** Names the records: an import of the same ones that was interrupted or stopped goes on. @default it begins anew */
  source?: string
  /** Told after each batch */
  onProgress?: (progress: ImportProgress) => void
}

const optionSchemas: Record<keyof ImportOptions, z.ZodType> = {
  dryRun: z.boolean().optional(),
  onError: z.enum(['stop', 'skip']).optional(),
  source: z.string().min(1).refine(isStorableText).optional(),
  onProgress: aFunction().optional(),
}
const optionsSchema = z.strictObject(optionSchemas)

export interface ImportResult {
  imported: number
  skipped: number
  /** The first 1,000; `skipped` counts all of them */
  errors: ImportError[]
}

/** A batch is stored while everybody else waits, on SQLite at least: it ends at so many records, or at so much work. */
const maxBatchRecords = 1000
const maxBatchCost = 256 * 1024
/** A row of its own costs what so many characters do. */
const costOfRole = 200
const maxErrors = 1000

/**
 * Imports users in the order of their records, in batches that are stored whole or not at all.
 *
 * @throws ClienteleError `account_not_found`, `validation_failed` for options, `storage_unavailable`
 */
export async function importUsers(
  services: Services,
  schema: ImportSchema,
  account: AccountRules,
  records: AsyncIterable<ImportRecord>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  parseArgument('options', optionsSchema, options)
  const run = new ImportRun(services, account, options)
  const stops = (options.onError ?? 'stop') === 'stop'
  const dryRun = options.dryRun ?? false
  try {
    for await (const batch of readBatches(records, await run.resume())) {
      const prepared = await prepareImport(services, schema, account, batch, { stops, dryRun })
      await run.store(prepared, stops)
      if (run.isOver || prepared.isCut) break
    }
  } finally {
    // When the records could not be read further, too: nothing is written behind the caller's back.
    await run.settle()
  }
  return run.finish()
}

async function* readBatches(
  records: AsyncIterable<ImportRecord>,
  toPass: number,
): AsyncGenerator<ImportRecord[]> {
  let passed = 0
  let batch: ImportRecord[] = []
  let cost = 0
  for await (const record of records) {
    if (passed < toPass) {
      passed++
      continue
    }
    batch.push(record)
    cost += costOf(record)
    if (batch.length < maxBatchRecords && cost < maxBatchCost) continue
    yield batch
    batch = []
    cost = 0
  }
  if (batch.length > 0) yield batch
}

function costOf({ value }: ImportRecord): number {
  const roles = isPlainObject(value) && Array.isArray(value.roles) ? value.roles.length : 0
  return measureJson(value) + roles * costOfRole
}

/** What an import has come to: a batch is stored while the next one is read and checked. */
class ImportRun {
  readonly #services: Services
  readonly #accountId: string
  readonly #options: ImportOptions
  readonly #state: ImportProgress = { records: 0, imported: 0, skipped: 0 }
  readonly #errors: ImportError[] = []
  readonly #seen = new SeenEmails()
  #storing = Promise.resolve()
  isOver = false

  constructor(services: Services, account: AccountRules, options: ImportOptions) {
    this.#services = services
    this.#accountId = account.id
    this.#options = options
  }

  /** Answers how many records are done already. */
  async resume(): Promise<number> {
    const { source } = this.#options
    if (source === undefined) return 0
    const known = await this.#services.repository.findImport(this.#accountId, source)
    Object.assign(this.#state, known)
    return this.#state.records
  }

  /** Begins to store a batch as soon as the one before it is stored. */
  async store(prepared: PreparedImport, stops: boolean): Promise<void> {
    await this.#storing
    if (this.isOver) return
    this.#storing = this.#storeBatch(prepared, stops)
    // Its fault is met where it is awaited: with the next batch, or at the end.
    this.#storing.catch(() => {})
  }

  async settle(): Promise<void> {
    await this.#storing.catch(() => {})
  }

  async finish(): Promise<ImportResult> {
    await this.#storing
    const { source, dryRun } = this.#options
    if (!this.isOver && source !== undefined && !dryRun) {
      await this.#services.repository.endImport(this.#accountId, source)
    }
    const { imported, skipped } = this.#state
    return { imported, skipped, errors: this.#errors }
  }

  async #storeBatch(prepared: PreparedImport, stops: boolean): Promise<void> {
    const { users } = prepared
    const taken = await this.#write(prepared, stops)
    if (taken.size === 0 || !stops) return this.#note(prepared, taken)
    const index = users.findIndex(({ user }) => taken.has(user.id))
    const errors = users.slice(index, index + 1).map(({ line }) => emailTaken(line))
    const before = { users: users.slice(0, index), records: index, errors, isCut: true }
    if (this.#options.dryRun) this.#note(before, new Set())
    else await this.#storeBatch(before, stops)
  }

  #note(prepared: PreparedImport, taken: Set<string>): void {
    const { users, records, isCut } = prepared
    const late = users.filter(({ user }) => taken.has(user.id))
    const errors = [...prepared.errors, ...late.map(({ line }) => emailTaken(line))]
    errors.sort((left, right) => left.line - right.line)
    this.#errors.push(...errors.slice(0, maxErrors - this.#errors.length))
    this.#state.records += records
    this.#state.imported += users.length - taken.size
    this.#state.skipped += errors.length
    this.isOver = isCut
    this.#options.onProgress?.({ ...this.#state })
  }

  /** Answers with the ids of those whose e-mails are taken. Where that ends the import, none is stored then. */
  async #write({ users, records, errors, isCut }: PreparedImport, stops: boolean) {
    const { repository, clock } = this.#services
    const { dryRun, source } = this.#options
    const batch = users.map(({ user }) => user)
    if (dryRun) {
      const emails = batch.map(({ email }) => email)
      const known = new Set(await repository.findTakenEmails(this.#accountId, emails))
      const isTaken = (email: string): boolean => known.has(email) || !this.#seen.add(email)
      return new Set(batch.filter(({ email }) => isTaken(email)).map(({ id }) => id))
    }
    const state = this.#state
    const after = (taken: number): ImportProgress => ({
      records: state.records + records,
      imported: state.imported + users.length - taken,
      // The record that ends the import is met again when it goes on.
      skipped: state.skipped + taken + (isCut ? 0 : errors.length),
    })
    const taken = await repository.importUsers(this.#accountId, {
      users: batch,
      importedAt: clock(),
      progress: source === undefined ? undefined : { source, after },
      isAllOrNothing: stops,
    })
    if (taken === 'account_not_found') throw new ClienteleError(taken)
    return new Set(taken)
  }
}

function emailTaken(line: number): ImportError {
  const message = '/email Another user of this account has this e-mail address.'
  return { line, code: 'email_taken', message }
}
