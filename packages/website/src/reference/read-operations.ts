import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { toKebab } from './to-kebab.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  format?: string
  default?: unknown
}

export interface Content {
  schema?: Schema
  example?: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Answer {
  description: string
  content?: Record<string, Content>
}

export interface Operation {
  /** `POST` */
  method: string
  path: string
  operationId: string
  summary: string
  description?: string
  tag: string
  anchor: string
  parameters: readonly Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Readonly<Record<string, Answer>>
  /** The error codes that it may answer with */
  codes: readonly string[]
}

interface DocumentedOperation
  extends Omit<Operation, 'method' | 'path' | 'tag' | 'anchor' | 'codes'> {
  tags: [string]
}

export interface HttpApi {
  operations: readonly Operation[]
  tags: readonly { name: string; description: string }[]
  schemas: Readonly<Record<string, Schema>>
}

interface OpenApiDocument {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** The operations of the OpenAPI document that a new Clientele serves. */
export async function readOperations(): Promise<HttpApi> {
  const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
  const document = (await clientele.openApi()) as unknown as OpenApiDocument // the parts that are read here
  await clientele.close()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, ...operation }]): Operation => {
      const codes = Object.values(operation.responses).flatMap(({ description }) =>
        [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code),
      )
      return {
        ...operation,
        parameters: operation.parameters ?? [],
        method: method.toUpperCase(),
        path,
        tag: tags[0],
        anchor: toKebab(operation.operationId),
        codes,
      }
    }),
  )
  return { operations, tags: document.tags, schemas: document.components.schemas }
}
