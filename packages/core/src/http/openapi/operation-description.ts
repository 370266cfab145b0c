import type { Scope } from '../../api-keys/api-key.ts'
import type { HeaderField } from '../header-fields.ts'
import type { JsonSchema } from './json-schema.ts'

/** Parameters of one kind, as the JSON Schema of an object that has them */
export interface ParametersDescription {
  type: 'object'
  properties: Record<string, JsonSchema>
  required: string[]
}

export interface MediaDescription {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface ResponseDescription {
  description: string
  /** A JSON Schema for each header field */
  headers: Record<string, HeaderField>
  /** By media type */
  content?: Record<string, MediaDescription>
  /** There is no body */
  type?: 'null'
}

/**
 * What an operation takes and answers with, for tools that describe APIs. Its schemas are JSON Schema 2020-12; its parts
 * have the names that Fastify gives them.
 */
export interface OperationDescription {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** What the API key must allow; null: the operation is public */
  scope: Scope | null
  params?: ParametersDescription
  querystring?: ParametersDescription
  headers?: ParametersDescription
  /** By media type */
  body?: { content: Record<string, MediaDescription> }
  /** By status */
  response: Record<string, ResponseDescription>
}
