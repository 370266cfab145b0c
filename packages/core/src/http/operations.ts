import { describeOperation } from './openapi/describe-operation.ts'
import { inlineRefs, type NamedSchemas } from './openapi/json-schema.ts'
import type { OperationDescription } from './openapi/operation-description.ts'
import type { Method, Route } from './route.ts'

/** Of an OpenAPI 3 document, what names how operations are authorised */
export interface OpenApiDocument {
  components?: { securitySchemes?: Record<string, unknown> }
}

/** An operation as `@fastify/swagger` takes it; bodies and security are there for OpenAPI 3 only. */
export interface OperationSchema
  extends Omit<OperationDescription, 'scope' | 'body' | 'response'>,
    Partial<Pick<OperationDescription, 'body' | 'response'>> {
  security?: Record<string, string[]>[]
}

/** One operation, for adapters of frameworks that want to know each of them. */
export interface Operation {
  /** `createUser`: its operationId in the OpenAPI document */
  id: string
  method: Method
  /** Below the mount, with `{name}` for parameters: `/client/user/{id}` */
  path: string
  /**
   * What it takes and answers with. It costs time, so that it is made when somebody asks.
   *
   * @param document the OpenAPI 3 document that it is for: the API key's scheme is added to it, as `clienteleApiKey`.
   *   Absent: it is for another kind of document
   */
  describe(document?: OpenApiDocument): OperationSchema
}

const keyName = 'clienteleApiKey'
const keyScheme = { type: 'http', scheme: 'bearer', description: 'An API key of the account' }

/** The operations of a route table. */
export function listOperations(routes: readonly Route[]): readonly Operation[] {
  return routes.map((route) => ({
    id: route.id,
    method: route.method,
    path: route.path,
    describe: (document) => {
      const named: NamedSchemas = {}
      const whole = inlineRefs(describeOperation(route, named), named)
      const { scope, body, response, ...about } = inOldWords(whole)
      if (document === undefined) return about
      const { securitySchemes } = document.components ?? {}
      const schemes = { [keyName]: keyScheme, ...securitySchemes }
      document.components = { ...document.components, securitySchemes: schemes }
      const security = scope === null ? [] : [{ [keyName]: [] }]
      return { ...about, ...(body && { body }), response, security }
    },
  }))
}

/** Says in words of OpenAPI 3.0, which 3.1 still has, what has other words in 3.1, and leaves out the rest. */
function inOldWords(description: OperationDescription): OperationDescription {
  return JSON.parse(JSON.stringify(description), (name, part: unknown) => {
    if (name === 'propertyNames') return undefined
    if (typeof part !== 'object' || part === null || !('examples' in part)) return part
    const { examples, ...rest } = part
    return Array.isArray(examples) ? { ...rest, example: examples[0] } : part
  })
}
