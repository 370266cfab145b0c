import { ClienteleError, type InputIssue } from '../../base/errors.ts'
import type { AccountRules } from '../accounts/account.ts'
import { expireHash } from '../passwords/expired-hash.ts'
import { findHashProblem } from '../passwords/stored-hashes/read-stored-hash.ts'
import { checkAccountRules } from '../users/user-input.ts'
import type { ImportPolicy } from './import-policy.ts'
import type { ImportError, ImportRecord } from './import-record.ts'
import { type CheckedRecord, checkRecord, type ImportSchemas } from './import-schema.ts'
import type { ImportExportServices } from './services.ts'
import type { ImportedUser } from './store.ts'

/** The users of a batch to store, and the errors of the others. */
export interface PreparedImport {
  users: PreparedUser[]
  /** How many records this covers: up to an invalid one that ends the import */
  records: number
  errors: PreparedError[]
  /** Whether the import ends here, at the last of the errors */
  isCut: boolean
}

export interface PreparedUser {
  line: number
  /** Its index in the batch */
  index: number
  user: ImportedUser
}

export interface PreparedError extends ImportError {
  /** The index of its record in the batch */
  index: number
}

/** Splits a batch after the first users: the part to store now, and the rest. */
export function splitImport(
  prepared: PreparedImport,
  count = prepared.users.length,
): { done: PreparedImport; rest: PreparedImport | undefined } {
  const { users, errors, records } = prepared
  const next = users[count]
  if (next === undefined) return { done: prepared, rest: undefined }
  const before = errors.filter(({ index }) => index < next.index)
  const done = {
    users: users.slice(0, count),
    errors: before,
    records: count + before.length,
    isCut: false,
  }
  const rest = {
    ...prepared,
    users: users.slice(count),
    errors: errors.slice(before.length),
    records: records - done.records,
  }
  return { done, rest }
}

/** Joins what `splitImport` has split. */
export function joinImports(
  first: PreparedImport | undefined,
  next: PreparedImport | undefined,
): PreparedImport | undefined {
  if (first === undefined || next === undefined) return first ?? next
  return {
    users: [...first.users, ...next.users],
    errors: [...first.errors, ...next.errors],
    records: first.records + next.records,
    isCut: next.isCut,
  }
}

/** A batch that ends with an error, after these users and the errors before it. */
export function cutImport(
  users: PreparedUser[],
  errors: readonly PreparedError[],
  ending: PreparedError,
): PreparedImport {
  const before = errors.filter(({ index }) => index < ending.index)
  const records = users.length + before.length
  return { users, records, errors: [...before, ending], isCut: true }
}

interface Checked {
  line: number
  index: number
  data: CheckedRecord
}

const hashesAtOnce = 16

/** Checks the records of a batch, up to the first invalid one that ends the import, and hashes plain passwords. */
export async function prepareImport(
  services: ImportExportServices,
  schemas: ImportSchemas,
  account: AccountRules,
  batch: readonly ImportRecord[],
  policy: ImportPolicy,
): Promise<PreparedImport> {
  const good: Checked[] = []
  const errors: PreparedError[] = []
  let isCut = false
  for (const [index, record] of batch.entries()) {
    await services.importTurns.check(account.id)
    const { line } = record
    const result = await validateRecord(services, schemas, account, record, policy)
    if ('data' in result) good.push({ line, index, data: result.data })
    else errors.push({ line, index, ...describe(result.issues) })
    isCut = 'stops' in result && result.stops
    if (isCut) break
  }
  const hashes = policy.dryRun
    ? new Map<Checked, string>()
    : await hashPasswords(services, account.id, good, policy.signal)
  const users = good.map((checked) => ({
    line: checked.line,
    index: checked.index,
    user: toUser(services, checked.data, hashes.get(checked), policy),
  }))
  const records = isCut ? good.length + errors.length - 1 : batch.length
  return { users, records, errors, isCut }
}

/** What raises a limit: the readers of files and of the console have the command line. */
const limitOptions = {
  process: { milliseconds: 'hashLimits.milliseconds', mebibytes: 'hashLimits.mebibytes' },
  wire: {
    milliseconds: '`clientele user import` with --max-hash-ms',
    mebibytes: '`clientele user import` with --max-hash-mib',
  },
}

type ValidationResult = { data: CheckedRecord } | { issues: readonly InputIssue[]; stops: boolean }

async function validateRecord(
  services: ImportExportServices,
  schemas: ImportSchemas,
  account: AccountRules,
  { value, fault }: ImportRecord,
  policy: ImportPolicy,
): Promise<ValidationResult> {
  const { onError, unknownHash, hashLimits, fromWire } = policy
  const stops = onError === 'stop'
  if (fault !== undefined)
    return { issues: [{ pointer: '', code: 'malformed', message: fault }], stops }
  const result = checkRecord(schemas, value, policy)
  if ('issues' in result) return { issues: result.issues, stops }
  const { data } = result
  const broken = await findBrokenRules(services, account, data)
  if (broken.length > 0) return { issues: broken, stops }
  const problem =
    data.passwordHash === undefined
      ? undefined
      : findHashProblem(data.passwordHash, hashLimits, limitOptions[fromWire ? 'wire' : 'process'])
  if (problem === undefined) return { data }
  if (unknownHash === 'reset') return { data: { ...data, passwordHash: undefined } }
  const message = `cannot be taken: ${problem}`
  const pointer = fromWire ? '/password_hash' : '/passwordHash'
  const issue = { pointer, code: 'format', message }
  return { issues: [issue], stops: unknownHash === 'stop' }
}

async function findBrokenRules(
  { passwordPolicy }: ImportExportServices,
  account: AccountRules,
  { roles = [], password }: CheckedRecord,
): Promise<readonly InputIssue[]> {
  try {
    await checkAccountRules(account, passwordPolicy, { roles, password })
    return []
  } catch (error) {
    if (error instanceof ClienteleError) return error.issues
    throw error
  }
}

/** A result has up to 1,000 messages, and names of unknown members are as long as their record. */
const maxMessageLength = 1_000

function describe(issues: readonly InputIssue[]): Omit<ImportError, 'line'> {
  const messages = issues.map(({ pointer, message }) => `${pointer} ${message}`.trim())
  const message = messages.join('; ')
  const isLong = message.length > maxMessageLength
  return {
    code: issues[0]?.code ?? 'invalid',
    message: isLong ? `${message.slice(0, maxMessageLength).toWellFormed()}…` : message,
  }
}

async function hashPasswords(
  { passwords, importTurns }: ImportExportServices,
  accountId: string,
  records: readonly Checked[],
  signal: AbortSignal | undefined,
): Promise<Map<Checked, string>> {
  const hashes = new Map<Checked, string>()
  const toHash = records.filter(({ data }) => data.password !== undefined)
  for (let start = 0; start < toHash.length; start += hashesAtOnce) {
    // Hashing a batch takes seconds: an aborted import does not wait for it.
    signal?.throwIfAborted()
    const some = toHash.slice(start, start + hashesAtOnce)
    await Promise.all(
      some.map(async (record) => {
        const { password = '' } = record.data
        const hash = () => passwords.hashPatiently(accountId, password)
        hashes.set(record, await importTurns.hash(accountId, hash))
      }),
    )
  }
  return hashes
}

function toUser(
  { newId }: ImportExportServices,
  data: CheckedRecord,
  hash: string | undefined,
  { dryRun, expiresPasswords }: ImportPolicy,
): ImportedUser {
  const { password: _password, passwordExpired = expiresPasswords, ...fields } = data
  // A dry run hashes nothing and only counts the users without a password.
  const passwordHash = data.passwordHash ?? (dryRun ? data.password : hash)
  return {
    ...fields,
    id: data.id ?? newId(),
    namesId: data.id !== undefined,
    passwordHash:
      passwordHash !== undefined && passwordExpired ? expireHash(passwordHash) : passwordHash,
  }
}
