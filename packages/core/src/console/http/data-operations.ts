import { z } from 'zod'
import { idSchema } from '../../base/input/id.ts'
import { wholeNumber } from '../../base/input/whole-number.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { exportPage } from '../../capabilities/import-export/export-users.ts'
import { importUsers } from '../../capabilities/import-export/import-users.ts'
import { respondWithJson } from '../../http/render.ts'
import { OverviewMemory } from '../overview-memory.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, visitorsWith } from './console-operation.ts'

const maxImportBytes = 512 * 1024

const importSchema = z.strictObject({
  records: z.array(z.unknown()).min(1).max(500),
  dry_run: z.boolean().optional(),
  on_conflict: z.enum(['stop', 'skip', 'update']).optional(),
  on_error: z.enum(['stop', 'skip']).optional(),
  unknown_hash: z.enum(['stop', 'skip', 'reset']).optional(),
  first_line: z.int().min(1).max(1_000_000_000).default(1),
})

/** An account's overview, and the import and export of its users. */
export function createDataOperations(services: ConsoleServices): ConsoleOperation[] {
  const overviews = new OverviewMemory()
  return [
    defineOperation(visitorsWith('users:read', 'events:read'), {
      id: 'readConsoleOverview',
      method: 'GET',
      path: '/overview',
      summary: 'An overview of the account',
      querySchema: z.strictObject({ days: wholeNumber({ maximum: 90 }, 30).default(30) }),
      handle: async ({ call }, { query }) => {
        const { users, signIns, sessions } = await overviews.read(services, call, query.days)
        const { total, active, byDay } = users
        return respondWithJson(
          200,
          JSON.stringify({
            users: { total, active, by_day: byDay },
            sign_ins: { by_day: signIns.byDay },
            sessions,
          }),
        )
      },
    }),
    defineOperation(visitorsWith('users:read'), {
      id: 'exportConsoleUsers',
      method: 'GET',
      path: '/export',
      summary: 'The next users, in the form that an import takes, without password hashes',
      querySchema: z.strictObject({
        after: idSchema.optional(),
        limit: wholeNumber({ maximum: 1000 }, 1000).default(1000),
      }),
      handle: async ({ call }, { query }) => {
        const render = (record: object) => JSON.stringify(toWire(record))
        const { records, next } = await exportPage(services, call, query, render)
        const { total } = await services.repository.users.list(call.accountId, {
          page: 1,
          limit: 1,
        })
        const end = JSON.stringify({ next, total })
        return respondWithJson(200, `{"records":[${records.join(',')}],${end.slice(1)}`)
      },
    }),
    defineOperation(visitorsWith('users:write'), {
      id: 'importConsoleUsers',
      method: 'POST',
      path: '/import',
      summary: 'Import a batch of users',
      bodySchema: importSchema,
      maxBodyBytes: maxImportBytes,
      hasItems: true,
      handle: async ({ call }, { body }) => {
        const { records, first_line, dry_run, on_conflict, on_error, unknown_hash } = body
        // A batch continues no other, and invites nobody: the page adds the counts.
        const options = {
          fromWire: true,
          dryRun: dry_run ?? false,
          ...(on_conflict && { onConflict: on_conflict }),
          ...(on_error && { onError: on_error }),
          ...(unknown_hash && { unknownHash: unknown_hash }),
        }
        const given = readRecords(records, first_line)
        const {
          earlier: _none,
          invited: _no,
          uninvited: _one,
          ...result
        } = await importUsers(services, call, given, options)
        return respondWithJson(200, JSON.stringify(toWire(result)))
      },
    }),
  ]
}

async function* readRecords(
  records: readonly unknown[],
  firstLine: number,
): AsyncGenerator<{ line: number; value: unknown }> {
  for (const [index, value] of records.entries()) yield { line: firstLine + index, value }
}
