import type { Call } from '../../base/call/call.ts'
import { ClienteleError, isOverloaded } from '../../base/errors.ts'
import { tooManyChanges } from '../../base/runtime/change-in-turn.ts'
import { askAboutImport } from './ask-about-import.ts'
import type { ImportOptions, ImportPolicy } from './import-policy.ts'
import type { ImportError } from './import-record.ts'
import type { ImportResult } from './import-result.ts'
import { inviteImported } from './invite-imported.ts'
import {
  cutImport,
  joinImports,
  type PreparedError,
  type PreparedImport,
  splitImport,
} from './prepare-import.ts'
import { ImportRehearsal } from './rehearse-import.ts'
import type { ImportExportServices } from './services.ts'
import type { ImportConflict, ImportOutcome, ImportProgress, WrittenUser } from './store.ts'
import { tellImport } from './tell-import.ts'

const maxErrors = 1000
/** How often a batch is asked about anew while none of it can be stored */
const maxUnsettled = 10

const conflictMessages: Record<ImportConflict['code'], string> = {
  email_taken: '/email is taken by another user of this account',
  id_taken: '/id is taken by another user of this account',
}

/** The state of an import: a batch is stored while the next one is read and checked. */
export class ImportRun {
  readonly #services: ImportExportServices
  readonly #accountId: string
  readonly #call: Call
  readonly #policy: ImportPolicy
  readonly #options: ImportOptions
  readonly #rehearsal: ImportRehearsal | undefined
  readonly #state: ImportProgress = {
    records: 0,
    imported: 0,
    updated: 0,
    skipped: 0,
    conflicts: 0,
    withoutPassword: 0,
  }
  #earlier: ImportProgress | null = null
  readonly #errors: ImportError[] = []
  #lastLine = 0
  #stoppedAtLine: number | null = null
  #invited = 0
  readonly #uninvited: ImportError[] = []
  /** The users of the batch that was stored last */
  #written: readonly WrittenUser[] = []
  #storing = Promise.resolve()

  constructor(
    services: ImportExportServices,
    call: Call,
    policy: ImportPolicy,
    options: ImportOptions,
  ) {
    this.#services = services
    this.#call = call
    this.#accountId = call.accountId
    this.#policy = policy
    this.#options = options
    if (policy.dryRun) this.#rehearsal = new ImportRehearsal(services.repository, call.accountId)
  }

  /** Whether a record has ended the import */
  get isOver(): boolean {
    return this.#stoppedAtLine !== null
  }

  /** Returns how many records an earlier run has finished. */
  async resume(): Promise<number> {
    const { source } = this.#options
    if (source === undefined) return 0
    const known = await this.#services.repository.importExport.findProgress(this.#accountId, source)
    if (known !== undefined && known.records > 0) this.#earlier = known
    Object.assign(this.#state, known)
    return this.#state.records
  }

  /** Starts to store a batch once the previous one is stored. */
  async store(prepared: PreparedImport): Promise<void> {
    await this.#storing
    if (this.isOver) return
    this.#storing = this.#storeBatch(prepared)
    // A rejection is handled when the promise is awaited: with the next batch or at the end.
    this.#storing.catch(() => {})
  }

  async settle(): Promise<void> {
    await this.#storing.catch(() => {})
  }

  async finish(): Promise<ImportResult> {
    await this.#storing
    const { source } = this.#options
    if (!this.isOver && source !== undefined && !this.#policy.dryRun) {
      await this.#services.repository.importExport.endImport(this.#accountId, source)
    }
    return this.#result
  }

  /**
   * Ends the import after its last stored record where an error came from too much work: an error that says that nothing was
   * done would be wrong. A named import throws it, and continues when it is repeated.
   *
   * @throws the error, if it has another reason, or nothing is stored
   */
  async stopFor(error: unknown): Promise<ImportResult> {
    const isNamed = this.#options.source !== undefined
    if (!isOverloaded(error) || isNamed || this.#policy.dryRun) throw error
    await this.#storing.catch((earlier: unknown) => {
      if (!isOverloaded(earlier)) throw earlier
    })
    if (this.isOver) return this.#result
    const { imported, updated } = this.#state
    if (imported + updated === 0) throw error
    const line = this.#lastLine + 1
    this.#stoppedAtLine = line
    this.#state.skipped++
    // It has a place among them, however many came before: nothing else says why the import ended.
    this.#errors.splice(maxErrors - 1)
    this.#errors.push({ line, code: error.code, message: error.message })
    return this.#result
  }

  get #result(): ImportResult {
    const { imported, updated, skipped, conflicts, withoutPassword } = this.#state
    return {
      imported,
      updated,
      skipped,
      conflicts,
      withoutPassword,
      invited: this.#invited,
      uninvited: this.#uninvited,
      stoppedAtLine: this.#stoppedAtLine,
      earlier: this.#earlier,
      errors: this.#errors,
    }
  }

  async #storeBatch(prepared: PreparedImport): Promise<void> {
    const { onConflict, onError } = this.#policy
    // A record that matches two existing users cannot be carried out: it is always an error.
    const stops = (onConflict === 'update' ? onError : onConflict) === 'stop'
    let rest: PreparedImport | undefined = prepared
    for (let unsettled = 0; rest !== undefined; ) {
      const asked = await askAboutImport(this.#services, this.#call, rest, this.#policy)
      const batch: PreparedImport = asked.ready
      await this.#call.stayAdmitted?.()
      const outcome = await this.#services.importTurns.store(this.#accountId, () =>
        this.#write(batch, stops),
      )
      const [first] = outcome.conflicts
      if (first !== undefined && stops) return this.#storeBefore(batch, first, outcome)
      const parts = splitImport(batch, outcome.settled)
      this.#note(parts.done, outcome)
      // Not in a batch's turn, which imports of other accounts wait for
      if (this.#policy.invites) await this.#invite(parts.done)
      rest = joinImports(parts.rest, asked.later)
      // Others change the users as fast as the hooks are asked about them.
      unsettled = outcome.settled === 0 ? unsettled + 1 : 0
      if (unsettled === maxUnsettled) throw tooManyChanges()
    }
  }

  /** Stores the records before the one that ends the import. */
  async #storeBefore(
    prepared: PreparedImport,
    conflict: ImportConflict,
    outcome: ImportOutcome,
  ): Promise<void> {
    const ending = prepared.users[conflict.index]
    if (ending === undefined) return
    const { line, index } = ending
    const error = { line, index, code: conflict.code, message: conflictMessages[conflict.code] }
    const before = cutImport(prepared.users.slice(0, conflict.index), prepared.errors, error)
    if (this.#policy.dryRun) this.#note(before, { ...outcome, conflicts: [] })
    else await this.#storeBatch(before)
  }

  /** Returns the outcome of the users. If conflicts end the import and there is one, none is stored. */
  async #write(prepared: PreparedImport, stops: boolean): Promise<ImportOutcome> {
    const { repository, clock } = this.#services
    const { source } = this.#options
    this.#policy.signal?.throwIfAborted()
    const users = prepared.users.map(({ user }) => user)
    const updatesKnown = this.#policy.onConflict === 'update'
    if (this.#rehearsal !== undefined) {
      const predicted = await this.#rehearsal.run(users, { updatesKnown, isAllOrNothing: stops })
      if (this.#policy.invites) this.#invited += predicted.invitable ?? 0
      return predicted
    }
    this.#written = []
    const outcome = await repository.importExport.importBatch(this.#accountId, {
      users,
      importedAt: clock(),
      progress:
        source === undefined
          ? undefined
          : { source, after: (o) => this.#add(splitImport(prepared, o.settled).done, o) },
      updatesKnown,
      isAllOrNothing: stops,
      eventsOf: (stored) => {
        this.#written = stored
        return tellImport(this.#services, this.#call, this.#policy, stored)
      },
    })
    if (outcome === 'account_not_found') throw new ClienteleError(outcome)
    for (const event of outcome.events ?? []) this.#services.events.emit(event)
    return outcome
  }

  /** Invites the new users of a stored batch who have no password. */
  async #invite({ users }: PreparedImport): Promise<void> {
    const created = new Set(this.#written.flatMap(({ isNew, user }) => (isNew ? [user.id] : [])))
    const invitees = users.filter(
      ({ user: { id, passwordHash } }) => passwordHash === undefined && created.has(id),
    )
    const { invited, uninvited } = await inviteImported(
      this.#services,
      this.#call,
      invitees,
      this.#policy,
    )
    this.#invited += invited
    this.#uninvited.push(...uninvited.slice(0, maxErrors - this.#uninvited.length))
  }

  /** The progress of the import after a batch. */
  #add({ users, records, errors, isCut }: PreparedImport, outcome: ImportOutcome): ImportProgress {
    const { conflicts, updated, withoutPassword } = outcome
    const state = this.#state
    return {
      records: state.records + records,
      imported: state.imported + users.length - conflicts.length - updated,
      updated: state.updated + updated,
      // The record that ends the import is read again when the import is resumed.
      skipped: state.skipped + conflicts.length + errors.length - (isCut ? 1 : 0),
      conflicts: state.conflicts + conflicts.length,
      withoutPassword: state.withoutPassword + withoutPassword,
    }
  }

  #note(prepared: PreparedImport, outcome: ImportOutcome): void {
    const { users, isCut } = prepared
    this.#lastLine = Math.max(
      this.#lastLine,
      users.at(-1)?.line ?? 0,
      prepared.errors.at(-1)?.line ?? 0,
    )
    const ending = isCut ? prepared.errors.at(-1) : undefined
    const late = outcome.conflicts.flatMap(({ index, code }): PreparedError[] => {
      const user = users[index]
      if (user === undefined || this.#policy.expectsConflicts) return []
      return [{ line: user.line, index: user.index, code, message: conflictMessages[code] }]
    })
    const errors = [...prepared.errors, ...late].sort((left, right) => left.index - right.index)
    for (const { line, code, message } of errors.slice(0, maxErrors - this.#errors.length))
      this.#errors.push({ line, code, message })
    Object.assign(this.#state, this.#add(prepared, outcome))
    if (ending !== undefined) {
      this.#state.skipped++
      if (Object.hasOwn(conflictMessages, ending.code)) this.#state.conflicts++
      this.#stoppedAtLine = ending.line
    }
    this.#options.onProgress?.({ ...this.#state })
  }
}
