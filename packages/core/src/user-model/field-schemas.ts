import type { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import type { Profile } from './client-user.ts'
import { mapProfile, type ProfileFieldName } from './fields.ts'
import type { FieldSchema, HostSchemas } from './host-schemas.ts'
import { narrowMetadata, narrowRoles } from './narrow-field.ts'

export interface FieldSchemas {
  /** The schema of each field: our own rules, then the host's */
  fields: { [Name in ProfileFieldName]: z.ZodType<Profile[Name]> }
  /** The default of a missing field; undefined: the field is required */
  empty: { [Name in ProfileFieldName]: Profile[Name] | undefined }
  /** The fields that the host's schemas narrow */
  narrowed: readonly HostFieldName[]
  /** Those schemas, for the OpenAPI document */
  described: DescribedFields
}

type HostFieldName = 'metadata' | 'roles'

/** The input and the output, in JSON Schema 2020-12 */
export type DescribedFields = { [Name in HostFieldName]?: { input: object; output: object } }

/**
 * Makes the schemas of the fields that callers set.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function createFieldSchemas({ metadata, roles }: Partial<HostSchemas>): FieldSchemas {
  const fields = mapProfile<FieldSchemas['fields']>((name, { schema }) => {
    if (name === 'metadata' && metadata !== undefined) return narrowMetadata(schema, metadata)
    return name === 'roles' && roles !== undefined ? narrowRoles(schema, roles) : schema
  })
  const empty = mapProfile<FieldSchemas['empty']>(
    (name, field) => field.empty && fields[name].safeParse(field.empty).data,
  )
  const described: DescribedFields = {
    ...(metadata && { metadata: describe('metadata', metadata) }),
    ...(roles && { roles: describe('roles', roles) }),
  }
  const narrowed = Object.keys(described) as HostFieldName[] // the object's own keys
  return { fields, empty, narrowed, described }
}

function describe(name: HostFieldName, schema: FieldSchema<unknown>) {
  const { jsonSchema } = schema['~standard']
  const target = 'draft-2020-12'
  let described: { input: JsonSchema; output: JsonSchema }
  try {
    described = { input: jsonSchema.input({ target }), output: jsonSchema.output({ target }) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The schema of ${name} has no form in JSON Schema, which the API's document needs: ${reason}`
    throw new ClienteleError('configuration_invalid', message, { cause: error })
  }
  const path = findOtherType(described.input, described.output)
  if (path === undefined) return described
  const what = `changes the type of ${path.join('.') || 'its input'}`
  const message = `The schema of ${name} ${what}: a user who is read, changed and sent back would be refused.`
  throw new ClienteleError('configuration_invalid', message)
}

type JsonSchema = Record<string, unknown>

/** The path of a member whose input and output have different types. */
function findOtherType(input: JsonSchema, output: JsonSchema): string[] | undefined {
  const [sent, answered] = [input, output].map(({ type }) => (type === 'integer' ? 'number' : type))
  if (typeof sent === 'string' && typeof answered === 'string' && sent !== answered) return []
  const members = Object(input.properties)
  for (const [name, member] of Object.entries<JsonSchema>(Object(output.properties))) {
    const path = findOtherType(Object(members[name]), member)
    if (path !== undefined) return [name, ...path]
  }
  const items = [input.items, output.items].map(Object)
  return input.items && output.items ? findOtherType(items[0], items[1]) : undefined
}
