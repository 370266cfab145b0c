import { TimeSlice } from '../../runtime/time-slice.ts'
import type { Route } from '../route.ts'
import { tags } from '../tags.ts'
import { describeOperation } from './describe-operation.ts'
import type { JsonSchema } from './json-schema.ts'
import { createComponents, toOperation } from './to-operation.ts'

/** Makes the OpenAPI 3.1 document of the route table, a slice of time after the other. */
export async function createOpenApiDocument(routes: readonly Route[]): Promise<JsonSchema> {
  const slice = new TimeSlice()
  const components = createComponents()
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    if (slice.isOver) await slice.next()
    const description = describeOperation(route, components.schemas)
    const operation = toOperation(description, components)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const used = new Set<string>(routes.map(({ tag }) => tag))
  const listed = Object.entries(tags).filter(([name]) => used.has(name))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Clientele',
      version: '1.0.0',
      summary:
        "A multi-tenant user service: manage an account's client users and validate their tokens.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '../..', description: 'Where the routes are mounted' }],
    security: [{ apiKey: [] }],
    tags: listed.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...components,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account: `cu_…`',
        },
      },
    },
  }
}
