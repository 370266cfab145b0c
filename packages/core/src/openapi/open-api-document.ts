/** A schema of JSON Schema 2020-12 */
export type JsonSchema = Record<string, unknown>

export interface MediaTypeObject {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, JsonSchema>
}

export interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
}

export interface ResponseObject {
  description: string
  headers: Record<string, JsonSchema>
  /** By media type; absent: no body */
  content?: Record<string, MediaTypeObject>
}

export interface OperationObject {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Empty: the operation is public. Absent: it needs an API key */
  security?: Record<string, string[]>[]
  parameters?: ParameterObject[]
  requestBody?: { required: boolean; content: Record<string, MediaTypeObject> }
  /** By status */
  responses: Record<string, ResponseObject>
}

/** The OpenAPI 3.1 document of the routes. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; [member: string]: unknown }
  servers: { url: string; description?: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  /** By path and method */
  paths: Record<string, Record<string, OperationObject>>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, JsonSchema>
    examples: Record<string, JsonSchema>
    securitySchemes: Record<string, JsonSchema>
  }
}
