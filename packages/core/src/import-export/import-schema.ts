import { z } from 'zod'
import { idSchema } from '../input/id.ts'
import { checkInput, type InputResult } from '../input/input.ts'
import { isPlainObject } from '../input/json.ts'
import { metadataSchema, nameSchema, rolesSchema } from '../users/client-user.ts'
import { emailSchema } from '../users/email-address.ts'
import type { UserSchemas } from '../users/user-input.ts'
import type { importColumns } from './import-record.ts'

export type ImportSchema = ReturnType<typeof createImportSchema>
export type CheckedRecord = z.output<ImportSchema>

/** With an offset a time may lie beyond the years of four digits, the only ones that are written as RFC 3339 has them. */
const time = z.iso.datetime({ offset: true }).refine((text) => isWritable(Date.parse(text)), {
  params: { code: 'value' },
  message: 'must be in the years 0000 to 9999, UTC',
})
const nilId = '00000000-0000-0000-0000-000000000000'

/** What an import takes of a user: as on creation, and what only a move can bring along. */
export function createImportSchema({ replace: { shape } }: UserSchemas) {
  const members = {
    name: nameSchema,
    email: emailSchema,
    roles: rolesSchema.optional(),
    metadata: metadataSchema.optional(),
    password: shape.password,
    id: idSchema
      .refine((id) => id !== nilId, { params: { code: 'value' }, message: 'must not be nil' })
      .optional(),
    is_active: z.boolean().optional(),
    email_verified: z
      .custom<boolean | string | null>(isVerification, {
        params: { code: 'type' },
        message: 'must be true, false or a date and time (RFC 3339)',
      })
      .optional(),
    created_at: time.optional(),
    updated_at: time.optional(),
    password_hash: z.string().optional(),
  } satisfies Record<(typeof importColumns)[number], z.ZodType>
  return z.strictObject(members).check((context) => {
    const { password, password_hash: hash } = context.value
    if (password === undefined || hash === undefined) return
    context.issues.push({
      code: 'custom',
      params: { code: 'value' },
      message: 'cannot be given beside password',
      path: ['password_hash'],
      input: hash,
    })
  })
}

function isWritable(time: number): boolean {
  return !Number.isNaN(time) && /^\d/.test(new Date(time).toISOString())
}

function isVerification(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || time.safeParse(value).success
}

/** Checks what a record says, without the members that are to be left out. */
export function checkRecord(
  schema: ImportSchema,
  value: unknown,
  ignored: ReadonlySet<string>,
): InputResult<CheckedRecord> {
  if (ignored.size === 0 || !isPlainObject(value)) return checkInput(schema, value)
  const left = Object.entries(value).filter(([name]) => !ignored.has(name))
  return checkInput(schema, Object.fromEntries(left))
}
