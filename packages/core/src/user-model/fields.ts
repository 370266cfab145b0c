import { z } from 'zod'
import { createLabelSchema, withoutControls } from '../base/input/bounded-text.ts'
import { idSchema } from '../base/input/id.ts'
import { codePoints } from '../base/input/input.ts'
import { type SnakeCase, toWireName } from '../base/input/wire-names.ts'
import { emailSchema } from './email-address.ts'
import type { UserMetadata, UserRole } from './host-schemas.ts'
import { metadataPatchSchema, metadataSchema } from './metadata.ts'

/** The storage, in-process and wire form of a field. */
type Kind = 'id' | 'text' | 'sortedText' | 'json' | 'flag' | 'time'

interface Field {
  kind: Kind
  /** The schema of its value, over the wire and in process. The OpenAPI document uses its description and examples */
  schema: z.ZodType
  /** `caller`: accepted on create, replace, patch and import. `service`: only an import can set it */
  from: 'caller' | 'service'
  /** The default for a new or replaced user; absent: the field is required */
  empty?: unknown
  /** The schema for a patch, if it differs: null stands for `empty` */
  patch?: z.ZodType
}

const time = z.iso.datetime().meta({ examples: ['2026-05-05T23:41:45.619Z'] })

/**
 * Every field of a user, once. Types, columns, inserts, updates, import, export, the wire and the OpenAPI document are
 * made from this table: a new field is an entry here and a migration with its column.
 */
export const userFields = {
  id: {
    kind: 'id',
    from: 'service',
    schema: idSchema.describe('UUIDv7, assigned by the service'),
  },
  email: {
    kind: 'sortedText',
    from: 'caller',
    schema: emailSchema.describe('Unique within the account; trimmed, NFC, lower case'),
  },
  name: {
    kind: 'text',
    from: 'caller',
    schema: createLabelSchema(2, 50).meta({
      minLength: 2,
      maxLength: 50,
      examples: ['Ada Lovelace'],
    }),
  },
  roles: {
    kind: 'json',
    from: 'caller',
    schema: z
      .array(withoutControls(codePoints(z.string(), 1, 100)).meta({ minLength: 1, maxLength: 100 }))
      .overwrite((roles) => [...new Set(roles)])
      .max(50)
      .meta({ examples: [['admin', 'billing']] }),
    empty: [],
  },
  metadata: {
    kind: 'json',
    from: 'caller',
    schema: metadataSchema,
    empty: {},
    patch: metadataPatchSchema,
  },
  isActive: {
    kind: 'flag',
    from: 'service',
    schema: z.boolean().meta({ examples: [true] }),
  },
  createdAt: { kind: 'time', from: 'service', schema: time },
  updatedAt: { kind: 'time', from: 'service', schema: time },
} as const satisfies Record<string, Field>

export type UserFields = typeof userFields
export type UserFieldName = keyof UserFields

/** The fields that callers set: the stored members of a create, replace or patch, except for the password. */
export type ProfileFieldName = {
  [Name in UserFieldName]: UserFields[Name]['from'] extends 'caller' ? Name : never
}[UserFieldName]
/** The optional ones among them. */
export type OptionalFieldName = {
  [Name in ProfileFieldName]: UserFields[Name] extends { empty: unknown } ? Name : never
}[ProfileFieldName]

/** The in-process type of each kind; the type of JSON comes from its schema. */
interface Values<Schema extends z.ZodType> {
  id: string
  text: string
  sortedText: string
  json: z.output<Schema>
  flag: boolean
  time: Date
}
/** The stored type of each kind: JSON is text, sent as stored; times are milliseconds since the epoch. */
interface StoredValues {
  id: string
  text: string
  sortedText: string
  json: string
  flag: boolean
  time: number
}
/** The type of each kind in a row: SQLite has 0 and 1 for booleans. */
interface RowValues extends Omit<StoredValues, 'flag'> {
  flag: boolean | number
}

/** The fields whose types a host may narrow. */
interface HostValues {
  roles: UserRole[]
  metadata: UserMetadata
}

/** The in-process value of a field. */
export type ValueOf<Name extends UserFieldName> = Name extends keyof HostValues
  ? HostValues[Name]
  : Values<UserFields[Name]['schema']>[UserFields[Name]['kind']]
export type StoredFields = { [Name in UserFieldName]: StoredValues[UserFields[Name]['kind']] }
export type UserColumns = {
  [Name in UserFieldName as SnakeCase<Name>]: RowValues[UserFields[Name]['kind']]
}

export const userFieldNames = Object.keys(userFields) as UserFieldName[] // the object's own keys
export const profileFieldNames = userFieldNames.filter(
  (name): name is ProfileFieldName => userFields[name].from === 'caller',
)

/** Maps each of the fields. */
export function mapFields<Name extends UserFieldName, Whole extends Record<Name, unknown>>(
  names: readonly Name[],
  make: (name: Name) => unknown,
): Whole {
  const whole: Record<string, unknown> = {}
  for (const name of names) whole[name] = make(name)
  return whole as Whole // one member per field, made by the caller's function
}

/** By name, prepared once: every row of a user is read with them. */
const columns = mapFields<UserFieldName, { [Name in UserFieldName]: SnakeCase<Name> }>(
  userFieldNames,
  toWireName,
)

/** The column of a field, which is also its wire name. */
export function columnOf<Name extends UserFieldName>(name: Name): SnakeCase<Name> {
  return columns[name]
}

/** Our default of a missing field; undefined: the field is required. */
export function emptyOf(name: UserFieldName): unknown {
  const field: Field = userFields[name]
  return field.empty
}

/** Maps each field that callers set. */
export function mapProfile<Whole extends Record<ProfileFieldName, unknown>>(
  map: (name: ProfileFieldName, field: Field) => unknown,
): Whole {
  return mapFields(profileFieldNames, (name) => map(name, userFields[name]))
}
