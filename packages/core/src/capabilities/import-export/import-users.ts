import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { isPlainObject, measureJson } from '../../base/input/json.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { type ImportOptions, type ImportPolicy, readImportPolicy } from './import-policy.ts'
import type { ImportRecord } from './import-record.ts'
import type { ImportResult } from './import-result.ts'
import { ImportRun } from './import-run.ts'
import { createImportSchemas } from './import-schema.ts'
import { prepareImport } from './prepare-import.ts'
import type { ImportExportServices } from './services.ts'

/**
 * Other requests wait while a batch is stored, at least on SQLite: a batch ends at this many records or this much work.
 */
const maxBatchRecords = 1000
const maxBatchCost = 128 * 1024
/** The work of a user's rows, in characters: a batch has about a hundred users. */
const costOfRecord = 1000
/** The same where a record may change a user, who is written again whole: name, roles and metadata may have 15 KB. */
const costOfChange = 4000
/** The work of one more row, in characters. */
const costOfRole = 200

/**
 * Imports users in the order of their records, in batches that are stored whole or not at all. Hooks are asked about each
 * user before its batch is stored.
 *
 * @throws ClienteleError `account_not_found`, `validation_failed` for invalid options, or a record without a line
 *   number, `mail_unavailable`, `storage_unavailable`, `hook_unavailable`
 */
export async function importUsers(
  services: ImportExportServices,
  call: Call,
  records: AsyncIterable<ImportRecord> | Iterable<ImportRecord>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  if (!isIterable(records))
    throw invalidInput([
      { pointer: '/records', code: 'type', message: 'must be iterable: a list of records' },
    ])
  const { id: accountId } = await findAccountRules(services, call)
  const policy = readImportPolicy(options)
  if (policy.invites && services.sendMail === undefined)
    throw new ClienteleError('mail_unavailable')
  const schemas = createImportSchemas(services.userSchemas)
  const run = new ImportRun(services, { ...call, accountId }, policy, options)
  try {
    for await (const batch of readBatches(records, await run.resume(), policy)) {
      // An import may go on for minutes: the account's rules are those of now.
      const account = await findAccountRules(services, { ...call, rules: undefined })
      const prepared = await prepareImport(services, schemas, account, batch, policy)
      policy.signal?.throwIfAborted()
      // Checking and storing use separate turns: on SQLite other requests run in between.
      await endOfTurn()
      await run.store(prepared)
      await endOfTurn()
      if (run.isOver || prepared.isCut) break
    }
    await run.settle()
    policy.signal?.throwIfAborted()
    return await run.finish()
  } catch (error) {
    // Wait even when reading the records failed: no batch is written after the call has ended.
    await run.settle()
    return run.stopFor(error)
  }
}

async function* readBatches(
  records: AsyncIterable<ImportRecord> | Iterable<ImportRecord>,
  toPass: number,
  { signal, largeBatches, onConflict }: ImportPolicy,
): AsyncGenerator<ImportRecord[]> {
  const costOfEach = onConflict === 'update' ? costOfChange : costOfRecord
  let count = 0
  let batch: ImportRecord[] = []
  let cost = 0
  for await (const record of records) {
    signal?.throwIfAborted()
    const index = count++
    if (!Number.isInteger(Object(record).line))
      throw invalidInput([{ ...notARecord, pointer: `/records/${index}` }])
    if (index < toPass) continue
    batch.push(record)
    cost += costOf(record) + (largeBatches ? 0 : costOfEach)
    if (batch.length < maxBatchRecords && cost < maxBatchCost) continue
    yield batch
    batch = []
    cost = 0
  }
  if (batch.length > 0) yield batch
}

const notARecord = {
  code: 'type',
  message: 'must be a record, { line, value }: the number of its line, and the user',
}

function isIterable(records: unknown): boolean {
  const { [Symbol.iterator]: some, [Symbol.asyncIterator]: one } = Object(records)
  return typeof records !== 'string' && (typeof some === 'function' || typeof one === 'function')
}

function costOf({ value }: ImportRecord): number {
  const roles = isPlainObject(value) && Array.isArray(value.roles) ? value.roles.length : 0
  return measureJson(value) + roles * costOfRole
}
