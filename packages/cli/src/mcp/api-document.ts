import type { OpenApiDocument } from '@clientele/core'
import { isObject } from '../is-object.ts'

export type Operation = OpenApiDocument['paths'][string][string]
export type JsonSchema = Record<string, unknown>

/** Whether it has the parts of an OpenAPI document that the tools are made from. */
export function isApiDocument(value: unknown): value is OpenApiDocument {
  if (!isObject(value) || !isObject(value.paths) || !isObject(value.components)) return false
  return isObject(value.components.schemas)
}

/** What a reference points to: `#/components/schemas/ClientUser`. A reference to nothing is a schema of anything. */
export function resolveReference(reference: string, document: OpenApiDocument): JsonSchema {
  const names = reference.split('/').slice(1)
  const found = names.reduce<unknown>(
    (part, name) =>
      isObject(part)
        ? part[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
        : undefined,
    document,
  )
  return isObject(found) ? found : {}
}
