import { z } from 'zod'
import type { AccountRules } from '../domain/account.ts'
import { checkInput } from '../domain/input.ts'
import { ClienteleError, type InputIssue } from '../errors.ts'
import type { ImportProgress, NewUserRecord } from '../repository.ts'
import { findHashProblem } from '../security/stored-hashes/read-stored-hash.ts'
import type { Services } from './services.ts'
import { checkAccountRules, type UserSchemas } from './user-input.ts'

/** A record as it was read: what it says, or why it could not be read. */
export interface ImportRecord {
  /** Where it stands in its file, from 1 */
  line: number
  value?: unknown
  fault?: string
}

export interface ImportOptions {
  /** Writes nothing and says what would be said. @default false */
  dryRun?: boolean
  /** Whether a bad record ends the import, with all before it imported. @default 'stop' */
  onError?: 'stop' | 'skip'
  /** Names the records: an import of the same ones that was interrupted goes on. @default no account is kept */
  source?: string
  /** Told after each batch */
  onProgress?: (progress: ImportProgress) => void
}

export interface ImportError {
  line: number
  code: string
  message: string
}

export interface ImportResult {
  imported: number
  skipped: number
  /** The first 1,000; `skipped` counts all of them */
  errors: ImportError[]
}

const batchSize = 1000
const maxErrors = 1000
const hashesAtOnce = 16

/** What an import takes of a user: as on creation, and what only a move can bring along. */
export function createImportSchema(schemas: UserSchemas) {
  return schemas.replace
    .extend({
      is_active: z.boolean().default(true),
      created_at: z.iso.datetime({ offset: true }).optional(),
      password_hash: z.string().optional(),
    })
    .check((context) => {
      const { password, password_hash: hash } = context.value
      const report = (code: string, message: string): void => {
        const path = ['password_hash']
        context.issues.push({ code: 'custom', params: { code }, message, path, input: hash })
      }
      if (hash === undefined) return
      if (password !== undefined) report('value', 'cannot be given beside password')
      const problem = findHashProblem(hash)
      if (problem !== undefined) report('format', `cannot be taken: ${problem}`)
    })
}

/**
 * Imports users in the order of their records, in batches that are stored whole or not at all.
 *
 * @throws ClienteleError `account_not_found`, `storage_unavailable`
 */
export async function importUsers(
  services: Services,
  schema: ReturnType<typeof createImportSchema>,
  account: AccountRules,
  records: AsyncIterable<ImportRecord>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const run = new ImportRun(services, schema, account, options)
  await run.resume()
  for await (const record of records) {
    if (await run.take(record)) break
  }
  return run.finish()
}

class ImportRun {
  readonly #services: Services
  readonly #schema: ReturnType<typeof createImportSchema>
  readonly #account: AccountRules
  readonly #options: ImportOptions
  readonly #errors: ImportError[] = []
  readonly #state: ImportProgress = { records: 0, imported: 0, skipped: 0 }
  readonly #seen = new Set<string>()
  #toPass = 0
  #batch: ImportRecord[] = []
  #isOver = false

  constructor(
    services: Services,
    schema: ReturnType<typeof createImportSchema>,
    account: AccountRules,
    options: ImportOptions,
  ) {
    this.#services = services
    this.#schema = schema
    this.#account = account
    this.#options = options
  }

  get #stops(): boolean {
    return (this.#options.onError ?? 'stop') === 'stop'
  }

  async resume(): Promise<void> {
    const { source, dryRun } = this.#options
    if (source === undefined || dryRun) return
    const known = await this.#services.repository.findImport(this.#account.id, source)
    if (known === undefined) return
    Object.assign(this.#state, known)
    this.#toPass = known.records
  }

  /** Takes a record; answers whether the import is over. */
  async take(record: ImportRecord): Promise<boolean> {
    if (this.#toPass > 0) this.#toPass--
    else this.#batch.push(record)
    if (this.#batch.length === batchSize) await this.#storeBatch(false)
    return this.#isOver
  }

  async finish(): Promise<ImportResult> {
    if (!this.#isOver) await this.#storeBatch(true)
    const { imported, skipped } = this.#state
    return { imported, skipped, errors: this.#errors }
  }

  async #storeBatch(isLast: boolean): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    const checked = await this.#check(batch)
    const users = await this.#hash(checked)
    const { dryRun = false, source, onProgress } = this.#options
    const failedBefore = this.#state.skipped
    const records = this.#state.records + batch.length
    const isDone = isLast || this.#isOver || source === undefined
    let taken = new Set<string>()
    if (!dryRun) {
      const progress = (count: number): ImportProgress => ({
        records,
        imported: this.#state.imported + users.length - count,
        skipped: failedBefore + count,
      })
      const stored = await this.#services.repository.importUsers(
        this.#account.id,
        users.map(({ user }) => user),
        this.#services.clock(),
        source ?? '',
        isDone ? null : progress,
      )
      if (stored === 'account_not_found') throw new ClienteleError(stored)
      taken = new Set(stored)
    }
    for (const { user, line } of users) if (taken.has(user.id)) this.#reportTaken(line)
    this.#state.records = records
    this.#state.imported += users.length - taken.size
    if (taken.size > 0 && this.#stops) this.#isOver = true
    onProgress?.({ ...this.#state })
  }

  /** The records of a batch that break no rule, up to the first that does where that ends the import. */
  async #check(batch: ImportRecord[]): Promise<Checked[]> {
    const good: Checked[] = []
    for (const { line, value, fault } of batch) {
      const result =
        fault === undefined
          ? checkInput(this.#schema, value)
          : { issues: [{ pointer: '', code: 'malformed', message: fault }] }
      const issues = 'data' in result ? await this.#checkRules(result.data) : result.issues
      if ('data' in result && issues.length === 0) good.push({ line, data: result.data })
      else this.#report(line, issues)
      if (issues.length > 0 && this.#stops) break
    }
    return this.#withoutTaken(good)
  }

  async #checkRules(data: Checked['data']): Promise<InputIssue[]> {
    try {
      await checkAccountRules(this.#account, this.#services.passwordPolicy, data)
      return []
    } catch (error) {
      if (error instanceof ClienteleError) return [...error.issues]
      throw error
    }
  }

  /** Leaves out what a look shows to be taken, where nothing behind it may be stored, or nothing is stored at all. */
  async #withoutTaken(good: Checked[]): Promise<Checked[]> {
    const { dryRun = false } = this.#options
    if (!dryRun && !this.#stops) return good
    const emails = good.map(({ data }) => data.email)
    const { repository } = this.#services
    const taken = new Set(await repository.findTakenEmails(this.#account.id, emails))
    const free: Checked[] = []
    for (const record of good) {
      const { email } = record.data
      if (taken.has(email) || (dryRun && this.#seen.has(email))) {
        this.#reportTaken(record.line)
        if (this.#stops) {
          this.#isOver = true
          break
        }
      } else free.push(record)
      taken.add(email)
      if (dryRun) this.#seen.add(email)
    }
    return free
  }

  async #hash(records: Checked[]): Promise<{ line: number; user: NewUserRecord }[]> {
    const { passwords, clock, newId } = this.#services
    const hashes = new Map<number, string>()
    const toHash = this.#options.dryRun ? [] : records.filter(({ data }) => data.password)
    for (let start = 0; start < toHash.length; start += hashesAtOnce) {
      const some = toHash.slice(start, start + hashesAtOnce)
      await Promise.all(
        some.map(async ({ line, data }) => {
          hashes.set(line, await passwords.hash(data.password ?? ''))
        }),
      )
    }
    return records.map(({ line, data }) => ({
      line,
      user: {
        id: newId(),
        email: data.email,
        name: data.name,
        roles: data.roles,
        metadata: data.metadata,
        isActive: data.is_active,
        passwordHash: data.password_hash ?? hashes.get(line) ?? null,
        createdAt: data.created_at === undefined ? clock() : Date.parse(data.created_at),
      },
    }))
  }

  #reportTaken(line: number): void {
    const message = 'Another user of this account has this e-mail address.'
    this.#report(line, [{ pointer: '/email', code: 'email_taken', message }])
  }

  #report(line: number, issues: readonly InputIssue[]): void {
    this.#state.skipped++
    if (this.#stops) this.#isOver = true
    if (this.#errors.length >= maxErrors) return
    const message = issues.map(({ pointer, message: text }) => `${pointer} ${text}`.trim())
    this.#errors.push({ line, code: issues[0]?.code ?? 'invalid', message: message.join('; ') })
  }
}

interface Checked {
  line: number
  data: z.output<ReturnType<typeof createImportSchema>>
}
