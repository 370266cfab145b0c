import { z } from 'zod'
import { isOverloaded } from '../../base/errors.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { keepAdmitted } from '../../http/keep-admitted.ts'
import { rootPath } from '../../http/match-route.ts'
import { ndjsonType, respondWithJson, respondWithLines } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { countSchema, timeSchema } from '../../http/wire-schemas.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { createImportSchemas } from './import-schema.ts'
import { importUsers } from './import-users.ts'
import type { ImportExportServices } from './services.ts'
import { streamExport } from './stream-export.ts'

const tag: Tag = {
  name: 'Import and export',
  description: 'All users of an account as NDJSON: one user per line, as a JSON object.',
}

const maxLines = 20_000
const maxImportBytes = 16 * 1024 * 1024
const maxErrors = 1_000

const importQuerySchema = z.strictObject({
  on_error: z
    .enum(['stop', 'skip'])
    .default('stop')
    .describe('Whether an invalid line ends the import, after the lines before it, or is skipped'),
  on_conflict: z
    .enum(['stop', 'skip', 'update'])
    .optional()
    .describe(
      'What to do with a line whose e-mail or id a user of the account has. Default: as `on_error`',
    ),
  unknown_hash: z
    .enum(['stop', 'skip', 'reset'])
    .optional()
    .describe(
      'What to do with a line whose password hash cannot be verified; `reset` imports the user without a password. ' +
        'Default: as `on_error`',
    ),
  dry_run: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', enum: [true, false] })
    .describe('Whether nothing is stored, and the result says what would happen'),
})

const count = (example: number) => countSchema(maxLines, example)
const lineNumber = z
  .int()
  .min(1)
  .max(maxLines + 1)
  .meta({ format: 'int32', examples: [3] })

const importResultSchema = z
  .object({
    imported: count(2).describe('How many users were created'),
    updated: count(0).describe('How many lines changed existing users'),
    // With the line that is one too many
    skipped: countSchema(maxLines + 1, 1).describe('How many lines were left out'),
    without_password: count(1).describe('How many of the created users have no password'),
    stopped_at_line: lineNumber
      .nullable()
      .describe('The line that ended the import: it and all lines after it were left out'),
    errors: z
      .array(
        z.object({
          line: lineNumber,
          code: z.string().meta({ examples: ['too_short'] }),
          message: z.string().meta({ examples: ['/name must have at least 2 characters'] }),
        }),
      )
      .max(maxErrors)
      .describe('The first 1,000 lines that were left out, and why; `skipped` counts all'),
  })
  .meta({ id: 'ImportResult' })

const exportedUserSchema = z
  .object({
    ...clientUserSchema.shape,
    email_verified: z
      .union([timeSchema, z.literal(false)])
      .describe('When the address was verified; false: it is not'),
  })
  .meta({ id: 'ExportedUser', description: 'A user, in the form that an import takes' })

export function createImportExportRoutes(services: ImportExportServices): Route[] {
  const { wire: lineSchema } = createImportSchemas(services.userSchemas)
  return [
    defineRoute({
      id: 'importUsers',
      method: 'POST',
      path: `${rootPath}/import`,
      summary: 'Import users, one per line (NDJSON)',
      tag,
      scope: 'users:write',
      querySchema: importQuerySchema,
      takesLines: { schema: lineSchema, maxLines },
      asksHooks: true,
      maxBodyBytes: maxImportBytes,
      responses: {
        200: { description: 'What was imported, and what was not', schema: importResultSchema },
      },
      errors: [],
      handle: async ({ call, lines }, { query }) => {
        if (lines === undefined) throw new Error('The body was not opened.')
        const { on_error, on_conflict, unknown_hash, dry_run = false } = query
        const options = {
          fromWire: true,
          dryRun: dry_run,
          onError: on_error,
          ...(on_conflict && { onConflict: on_conflict }),
          ...(unknown_hash && { unknownHash: unknown_hash }),
        }
        let hasBegun = false
        const run = () => {
          hasBegun = true
          return importUsers(services, call, keepAdmitted(lines, call.stayAdmitted), options)
        }
        try {
          const result = await services.transfers.run(call.accountId, run)
          // What is left unread would keep the connection from its next request. It takes none of the account's places.
          await lines.drain(call.stayAdmitted).catch((error: unknown) => {
            // What was stored is told, although its caller could not be admitted once more.
            if (!isOverloaded(error)) throw error
            return lines.drop()
          })
          const { imported, updated, skipped, withoutPassword, errors } = result
          const stoppedAtLine = result.stoppedAtLine ?? lines.cutAtLine
          const told = { imported, updated, skipped, withoutPassword, stoppedAtLine, errors }
          return respondWithJson(200, JSON.stringify(toWire(told)))
        } catch (error) {
          if (hasBegun) await lines.drop()
          throw error
        }
      },
    }),
    defineRoute({
      id: 'exportUsers',
      method: 'GET',
      path: `${rootPath}/export`,
      readmits: true,
      summary: 'Read all users, one per line (NDJSON), in the order of their creation',
      tag,
      scope: 'users:read',
      responses: {
        200: {
          description: 'The users, without passwords and their hashes, streamed',
          schema: exportedUserSchema,
          contentType: ndjsonType,
        },
      },
      errors: [],
      handle: async ({ call }) =>
        respondWithLines(keepAdmitted(await streamExport(services, call), call.stayAdmitted)),
    }),
  ]
}
