import { type CallInput, readCall } from '../../base/call/call.ts'
import { readOptions } from '../../base/input/call-arguments.ts'
import { exportOptionsSchema } from '../../base/input/call-options.ts'
import { type ExportRecord, exportUsers } from './export-users.ts'
import type { ImportOptions } from './import-policy.ts'
import type { ImportRecord } from './import-record.ts'
import type { ImportResult } from './import-result.ts'
import { importUsers } from './import-users.ts'
import type { ImportExportServices } from './services.ts'

/**
 * Importing and exporting users; a part of `clientele.users`.
 *
 * @example
 * const old = [{ name: 'Ada', email: 'ada@example.com', passwordHash: '$2b$12$…' }]
 * const records = old.map((value, index) => ({ line: index + 1, value }))
 * const { imported, errors } = await clientele.users.import(accountId, records, { onError: 'skip' })
 * for await (const user of clientele.users.export(accountId)) console.log(user.email)
 */
export interface ImportExportApi {
  /**
   * Imports users in the order of their records, which becomes the order of creation. Batches of about a hundred
   * (`largeBatches`: up to 1,000) are stored whole or not at all, one per account at a time. Invalid records are in the
   * result's `errors`, with their lines.
   *
   * @throws ClienteleError `account_not_found`; `mail_unavailable` when it is to invite users without
   *   a way to send mail; `validation_failed` for invalid options, or a record without a line number,
   *   before which batches stay stored; `overloaded` when the account has too much to do and nothing is
   *   stored, or `options.source` lets a repetition continue (otherwise it is an error of the result). Any error of
   *   reading the records, and the reason of `options.signal` when it aborts
   */
  import(
    call: CallInput,
    records: AsyncIterable<ImportRecord> | Iterable<ImportRecord>,
    options?: ImportOptions,
  ): Promise<ImportResult>
  /**
   * Reads an account's users in the order of their creation, in the form that `import` takes. `withHashes` adds the
   * passwords' hashes. An account that does not exist has no users.
   *
   * @throws ClienteleError `validation_failed`, at once; `storage_unavailable` while it is read
   */
  export(call: CallInput, options?: { withHashes?: boolean }): AsyncIterable<ExportRecord>
}

export function createImportExportApi(services: ImportExportServices): { users: ImportExportApi } {
  return {
    users: {
      import: async (call, records, options) =>
        importUsers(services, readCall(services, call), records, options),
      export: (call, options) =>
        exportUsers(services, readCall(services, call), readOptions(exportOptionsSchema, options)),
    },
  }
}
