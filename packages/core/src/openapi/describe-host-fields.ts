import { isDeepStrictEqual } from 'node:util'
import type { DescribedFields } from '../user-model/field-schemas.ts'
import type { JsonSchema, OpenApiDocument } from './open-api-document.ts'

type Side = 'input' | 'output'

const sides: Record<string, Side> = {
  CreateUser: 'input',
  ReplaceUser: 'input',
  ClientUser: 'output',
}

/** Puts the host's own schemas of metadata and roles in the place of ours, as components of their own. */
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

/** A patch names a part of metadata: what it is merged into must fit the schema. */
function describePatch(
  properties: Record<string, JsonSchema>,
  { metadata, roles }: DescribedFields,
): void {
  if (metadata !== undefined && properties.metadata !== undefined)
    properties.metadata.description = 'Merged into the metadata, which must then be a UserMetadata.'
  const forms: unknown = properties.roles?.anyOf
  const lists = (Array.isArray(forms) ? forms : [properties.roles]) as (JsonSchema | undefined)[] // JSON Schema's own shape
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

/** What is sent has a name of its own where it differs from what is answered. */
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
    // Its own references begin at the document from here on.
    return member === '$ref' && typeof part === 'string' ? part.replace(/^#/, reference) : part
  })
  return { $ref: reference }
}
