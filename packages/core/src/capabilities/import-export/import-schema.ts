import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { idSchema, lowestId } from '../../base/input/id.ts'
import { checkInput, type InputResult } from '../../base/input/input.ts'
import { dateSchema, isWritable } from '../../base/input/instant.ts'
import { isPlainObject } from '../../base/input/json.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import type { Profile } from '../../user-model/client-user.ts'
import {
  mapProfile,
  type OptionalFieldName,
  type ProfileFieldName,
} from '../../user-model/fields.ts'
import type { UserSchemas } from '../users/user-input.ts'
import type { ImportPolicy } from './import-policy.ts'

export type ImportSchemas = ReturnType<typeof createImportSchemas>
export type CheckedRecord = z.output<ImportSchemas['object']>

/** A time with an offset may be outside of the years 0000 to 9999, which RFC 3339 cannot express. */
const wireTime = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => isWritable(Date.parse(text)), {
    params: { code: 'value' },
    message: 'must be in the years 0000 to 9999, UTC',
  })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time', examples: ['2024-01-02T03:04:05.678Z'] })

type ImportShape = {
  [Name in ProfileFieldName]: Name extends OptionalFieldName
    ? z.ZodOptional<z.ZodType<Profile[Name]>>
    : z.ZodType<Profile[Name]>
}

/** An imported user: the members of a new user, and those that only an import can set. */
export function createImportSchemas({ replace: { shape }, fields, empty }: UserSchemas) {
  const members = (time: z.ZodType<number>, timeName: string) => ({
    ...mapProfile<ImportShape>((name, field) => {
      // Only records with the member are checked by the host's schema: it may add defaults, and an update keeps missing
      // members.
      const isMissable = field.empty !== undefined && isDeepStrictEqual(field.empty, empty[name])
      return isMissable ? fields[name].optional() : fields[name]
    }),
    password: shape.password,
    id: idSchema
      .refine((id) => id !== lowestId, { params: { code: 'value' }, message: 'must not be nil' })
      .optional(),
    isActive: z.boolean().optional(),
    emailVerified: verificationSchema(time, timeName)
      .optional()
      .meta({
        anyOf: [{ type: 'boolean' }, { type: 'string', format: 'date-time' }, { type: 'null' }],
        description: 'Whether or since when the address is verified',
        examples: [true],
      }),
    createdAt: time.optional(),
    updatedAt: time.optional(),
    passwordHash: z
      .string()
      .optional()
      .meta({
        ...secretMark,
        examples: ['$2b$10$nYKPG7hZxdCddaWTRnkRpes55MKWK5B9.O0sck7tLVctPgZRN6o7W'],
      }),
    passwordExpired: z.boolean().optional(),
  })
  const object = members(dateSchema, 'a valid Date')
  const wire = members(wireTime, 'a date and time (RFC 3339)')
  return {
    object: z
      .strictObject(object)
      .check(refuseTwoPasswords('passwordHash'), needsPassword('passwordHash', 'passwordExpired')),
    /** The same in the wire format of files. */
    wire: wireObject(
      wire,
      { id: 'ImportUser', description: 'A user to import; `email` and `name` are needed' },
      refuseTwoPasswords('password_hash'),
      needsPassword('password_hash', 'password_expired'),
    ),
  }
}

/** Whether or since when the address is verified; null, which other exports contain, means not verified. */
function verificationSchema(time: z.ZodType<number>, timeName: string) {
  return z.unknown().transform((value, context): number | boolean | undefined => {
    if (value === undefined || typeof value === 'boolean') return value
    if (value === null) return false
    const checked = time.safeParse(value)
    if (checked.success) return checked.data
    const message = `must be true, false or ${timeName}`
    context.addIssue({ code: 'custom', params: { code: 'type' }, message })
    return z.NEVER
  })
}

/** Runs even if the record has other issues. */
function refuseTwoPasswords(hashName: 'passwordHash' | 'password_hash') {
  return z.refine<unknown>(
    (record) => {
      const { password, [hashName]: hash } = Object(record)
      return password === undefined || hash === undefined
    },
    {
      path: [hashName],
      params: { code: 'value' },
      message: 'cannot be given beside password',
      when: () => true,
    },
  )
}

/** Only a password that the record has can expire by it. Runs even if the record has other issues. */
function needsPassword(
  hashName: 'passwordHash' | 'password_hash',
  expiredName: 'passwordExpired' | 'password_expired',
) {
  return z.refine<unknown>(
    (record) => {
      const { password, [hashName]: hash, [expiredName]: isExpired } = Object(record)
      return isExpired !== true || password !== undefined || hash !== undefined
    },
    {
      path: [expiredName],
      params: { code: 'value' },
      message: `needs password or ${hashName} beside it`,
      when: () => true,
    },
  )
}

/** Checks a record, without the ignored members. */
export function checkRecord(
  { object, wire }: ImportSchemas,
  value: unknown,
  { fromWire, ignored }: Pick<ImportPolicy, 'fromWire' | 'ignored'>,
): InputResult<CheckedRecord> {
  const schema: z.ZodType<CheckedRecord> = fromWire ? wire : object
  if (ignored.size === 0 || !isPlainObject(value)) return checkInput(schema, value)
  const left = Object.entries(value).filter(([name]) => !ignored.has(name))
  return checkInput(schema, Object.fromEntries(left))
}
