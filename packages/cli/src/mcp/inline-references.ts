import type { OpenApiDocument } from '@clientele/core'
import { isObject } from '../is-object.ts'
import { type JsonSchema, resolveReference } from './api-document.ts'

/**
 * Copies schemas of the document into one that stands alone: what a reference names takes its place, because many clients
 * show a model the schema without following references. Only a schema that contains itself stays a reference.
 */
export class ReferenceInliner {
  readonly #document: OpenApiDocument
  /** The schemas that contain themselves: `$defs` of the root */
  readonly definitions: Record<string, unknown> = {}

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  copy(schema: JsonSchema): JsonSchema {
    return this.#copyMembers(schema, [])
  }

  #copyMembers(schema: JsonSchema, open: readonly string[]): JsonSchema {
    const { $ref, ...rest } = schema
    const members = Object.fromEntries(
      Object.entries(rest).map(([name, part]) => [name, this.#copyPart(part, open)]),
    )
    if (typeof $ref !== 'string') return members
    if (!open.includes($ref)) {
      const target = resolveReference($ref, this.#document)
      return { ...this.#copyMembers(target, [...open, $ref]), ...members }
    }
    return { $ref: `#/$defs/${this.#define($ref)}`, ...members }
  }

  #copyPart(part: unknown, open: readonly string[]): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#copyPart(each, open))
    return isObject(part) ? this.#copyMembers(part, open) : part
  }

  #define(reference: string): string {
    const name = reference.replace(/^#\/(components\/schemas\/)?/, '').replaceAll(/[^\w.-]/g, '_')
    if (!(name in this.definitions)) {
      // Present before it is copied: it contains itself.
      this.definitions[name] = {}
      const target = resolveReference(reference, this.#document)
      this.definitions[name] = this.#copyMembers(target, [reference])
    }
    return name
  }
}
