import { isDeepStrictEqual } from 'node:util'
import type { DescribedFields } from '../user-model/field-schemas.ts'
import type { JsonSchema, OpenApiDocument } from './open-api-document.ts'

type Side = 'input' | 'output'

const sides: Record<string, Side> = {
  CreateUser: 'input',
  ReplaceUser: 'input',
  ImportUser: 'input',
  ClientUser: 'output',
  ExportedUser: 'output',
}

/** Replaces our schemas of metadata and roles by the host's own, as separate components. */
export function describeHostFields(
  { components: { schemas } }: OpenApiDocument,
  described: DescribedFields,
): void {
  const { metadata, roles } = described
  for (const [name, side] of Object.entries(sides)) {
    const properties = Object(schemas[name]?.properties)
    if (metadata !== undefined) {
      const { default: fallback } = properties.metadata
      const reference = addComponent(schemas, 'UserMetadata', metadata, side)
      properties.metadata = { ...reference, ...(fallback && { default: fallback }) }
    }
    if (roles !== undefined) {
      properties.roles.items = addComponent(schemas, 'UserRole', roles, side)
      delete properties.roles.examples
    }
  }
  describePatch(Object(schemas.PatchUser?.properties), described)
}

/** A patch has a part of the metadata. After merging, the metadata must fit the schema. */
function describePatch(
  properties: Record<string, JsonSchema>,
  { metadata, roles }: DescribedFields,
): void {
  if (metadata !== undefined && properties.metadata !== undefined)
    properties.metadata.description = 'Merged into the metadata, which must then be a UserMetadata.'
  const forms: unknown = properties.roles?.anyOf
  const lists = (Array.isArray(forms) ? forms : [properties.roles]) as (JsonSchema | undefined)[] // the shape that JSON Schema defines
  for (const list of lists) {
    if (roles !== undefined && list?.items !== undefined) {
      const component = isSame(roles) ? 'UserRole' : 'UserRoleInput'
      list.items = { $ref: `#/components/schemas/${component}` }
      delete list.examples
    }
  }
}

function isSame({ input, output }: Record<Side, object>): boolean {
  return isDeepStrictEqual(input, output)
}

/** The input has its own component if it differs from the output. */
function addComponent(
  schemas: Record<string, JsonSchema>,
  name: string,
  described: Record<Side, object>,
  side: Side,
): JsonSchema {
  const component = side === 'output' || isSame(described) ? name : `${name}Input`
  const reference = `#/components/schemas/${component}`
  schemas[component] = JSON.parse(JSON.stringify(described[side]), (member, part: unknown) => {
    if (member === '$schema') return undefined
    // Its references were relative to itself; now they are relative to the document.
    return member === '$ref' && typeof part === 'string' ? part.replace(/^#/, reference) : part
  })
  return { $ref: reference }
}
