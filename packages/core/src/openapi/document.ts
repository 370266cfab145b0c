import { z } from 'zod'
import { createDocument, type ZodOpenApiOverride, type ZodOpenApiPathsObject } from 'zod-openapi'
import manifest from '../../package.json' with { type: 'json' }
import type { Route } from '../http/route.ts'
import type { DescribedFields } from '../user-model/field-schemas.ts'
import type { Components } from './describe-headers.ts'
import { describeHostFields } from './describe-host-fields.ts'
import { describeOperation } from './describe-operation.ts'
import { finishDocument } from './finish-document.ts'
import type { OpenApiDocument } from './open-api-document.ts'
import { problemSchema } from './problem-schema.ts'

/** Creates the OpenAPI 3.1 document from the route table and the host's schemas. */
export function createOpenApiDocument(
  routes: readonly Route[],
  described: DescribedFields = {},
): OpenApiDocument {
  const shared: Components = { headers: {}, examples: {} }
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const operation = describeOperation(route, shared)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const made = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Clientele',
        version: manifest.version,
        summary:
          "Multi-tenant authentication: manage an account's client users and validate their tokens.",
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '../..', description: 'Where the routes are mounted' }],
      security: [{ apiKey: [] }],
      tags: [...new Set(routes.map(({ tag }) => tag))],
      paths,
      components: {
        ...shared,
        schemas: { Problem: problemSchema },
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of the account: `cu_…`',
          },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: "The account's id as user name, an API key of it as password",
          },
        },
      },
    },
    // Adds the metadata of schemas that zod cannot express.
    { override, allowEmptySchema: { custom: true, transform: true } },
  )
  // A deep copy: changing one place does not change another.
  const document: OpenApiDocument = JSON.parse(JSON.stringify(made))
  describeHostFields(document, described)
  finishDocument(document)
  return document
}

const override: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
  // In schemas that parse text, examples and defaults show the parsed values instead of the text: remove them.
  const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {}
  if (Array.isArray(examples)) jsonSchema.examples ??= examples
  if (typeof fallback === 'number') jsonSchema.default ??= fallback
  // Patterns that only repeat a format or a type
  if (jsonSchema.format === 'date-time' || jsonSchema.type === 'integer') delete jsonSchema.pattern
}
