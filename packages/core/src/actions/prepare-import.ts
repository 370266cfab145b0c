import { z } from 'zod'
import type { AccountRules } from '../domain/account.ts'
import type { ImportError, ImportRecord } from '../domain/import-record.ts'
import { checkInput } from '../domain/input.ts'
import { ClienteleError, type InputIssue } from '../errors.ts'
import type { NewUserRecord } from '../repository.ts'
import { findHashProblem } from '../security/stored-hashes/read-stored-hash.ts'
import { TimeSlice } from '../time-slice.ts'
import type { Services } from './services.ts'
import { checkAccountRules, type UserSchemas } from './user-input.ts'

export type ImportSchema = ReturnType<typeof createImportSchema>

/** What of a batch is to be stored, and what is wrong with the rest. */
export interface PreparedImport {
  users: { line: number; user: NewUserRecord }[]
  /** How many records this settles: where the import ends at a bad one, those before it */
  records: number
  errors: ImportError[]
  /** Whether the import ends here */
  isCut: boolean
}

interface Checked {
  line: number
  data: z.output<ImportSchema>
}

const hashesAtOnce = 16

/** What an import takes of a user: as on creation, and what only a move can bring along. */
export function createImportSchema(schemas: UserSchemas) {
  return schemas.replace
    .extend({
      is_active: z.boolean().default(true),
      created_at: z.iso.datetime({ offset: true }).optional(),
      password_hash: z.string().optional(),
    })
    .strip()
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

/** Checks a batch of records, up to the first bad one where that ends the import, and hashes what passwords there are. */
export async function prepareImport(
  services: Services,
  schema: ImportSchema,
  account: AccountRules,
  batch: readonly ImportRecord[],
  { stops, dryRun }: { stops: boolean; dryRun: boolean },
): Promise<PreparedImport> {
  const good: Checked[] = []
  const errors: ImportError[] = []
  const slice = new TimeSlice()
  for (const record of batch) {
    if (slice.isOver) await slice.next()
    const result = check(schema, record)
    const issues =
      'data' in result ? await checkRules(services, account, result.data) : result.issues
    if ('data' in result && issues.length === 0) good.push({ line: record.line, data: result.data })
    else errors.push(describe(record.line, issues))
    if (errors.length > 0 && stops) break
  }
  const isCut = errors.length > 0 && stops
  const hashes = dryRun
    ? new Map<Checked, string>()
    : await hashPasswords(services, account.id, good)
  const users = good.map((checked) => ({
    line: checked.line,
    user: toRecord(services, checked.data, hashes.get(checked)),
  }))
  return { users, records: isCut ? good.length : batch.length, errors, isCut }
}

function check(schema: ImportSchema, { value, fault }: ImportRecord) {
  if (fault === undefined) return checkInput(schema, value)
  return { issues: [{ pointer: '', code: 'malformed', message: fault }] }
}

async function checkRules(
  { passwordPolicy }: Services,
  account: AccountRules,
  data: Checked['data'],
): Promise<readonly InputIssue[]> {
  try {
    await checkAccountRules(account, passwordPolicy, data)
    return []
  } catch (error) {
    if (error instanceof ClienteleError) return error.issues
    throw error
  }
}

function describe(line: number, issues: readonly InputIssue[]): ImportError {
  const messages = issues.map(({ pointer, message }) => `${pointer} ${message}`.trim())
  return { line, code: issues[0]?.code ?? 'invalid', message: messages.join('; ') }
}

async function hashPasswords(
  { passwords }: Services,
  accountId: string,
  records: readonly Checked[],
): Promise<Map<Checked, string>> {
  const hashes = new Map<Checked, string>()
  const toHash = records.filter(({ data }) => data.password !== undefined)
  for (let start = 0; start < toHash.length; start += hashesAtOnce) {
    const some = toHash.slice(start, start + hashesAtOnce)
    await Promise.all(
      some.map(async (record) => {
        hashes.set(record, await passwords.hash(accountId, record.data.password ?? ''))
      }),
    )
  }
  return hashes
}

function toRecord(
  { newId, clock }: Services,
  data: Checked['data'],
  hash: string | undefined,
): NewUserRecord {
  return {
    id: newId(),
    email: data.email,
    name: data.name,
    roles: data.roles,
    metadata: data.metadata,
    isActive: data.is_active,
    passwordHash: data.password_hash ?? hash ?? null,
    createdAt: data.created_at === undefined ? clock() : Date.parse(data.created_at),
  }
}
