/** A schema of JSON Schema 2020-12, as far as the document uses it */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  readOnly?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export interface Content {
  schema?: Schema
  example?: unknown
  examples?: Readonly<Record<string, { $ref?: string; value?: unknown }>>
}

export interface OperationObject {
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  /** Empty: it needs no key */
  security?: readonly object[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<
    Record<string, { description: string; content?: Readonly<Record<string, Content>> }>
  >
}

/** An OpenAPI 3.1 document */
export interface OpenApi {
  info: { version: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Operation extends OperationObject {
  method: Method
  path: string
}

export function listOperations({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase() as Method, // the document has only these
      path,
    })),
  )
}

/** Resolves a reference; members beside the reference take precedence. */
export function resolve<Node extends { $ref?: string }>(document: OpenApi, node: Node): Node {
  if (node.$ref === undefined) return node
  const [kind = '', name = ''] = node.$ref.replace('#/components/', '').split('/')
  const found = document.components[kind]?.[name] as Node | undefined // by the kind of the reference
  const { $ref, ...beside } = node
  return { ...resolve(document, found ?? ({} as Node)), ...beside }
}

export function nameOf({ $ref }: { $ref?: string }): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The example of a body. */
export function exampleOf(document: OpenApi, content: Content): unknown {
  if (content.example !== undefined) return content.example
  const [first] = Object.values(content.examples ?? {})
  return first && resolve(document, first).value
}
