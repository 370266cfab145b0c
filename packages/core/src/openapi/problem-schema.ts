import type { ZodOpenApiSchemaObject } from 'zod-openapi'
import { httpErrors, maxIssues } from '../base/errors.ts'

export const problemSchema: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'Problem details (RFC 9457). Decide by `code`.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri', examples: ['urn:clientele:problem:user_not_found'] },
    title: { type: 'string', examples: ['Not Found'] },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, examples: [404] },
    detail: { type: 'string', examples: ['No such user.'] },
    code: { type: 'string', enum: Object.values(httpErrors).flatMap(Object.keys) },
    errors: {
      type: 'array',
      description: 'The broken rules, up to 100 of them',
      maxItems: maxIssues,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901)', examples: ['/name'] },
          code: { type: 'string', examples: ['too_short'] },
          message: { type: 'string', examples: ['must have at least 2 characters'] },
        },
      },
    },
    isValid: { const: false, description: 'On problems of a token that is being validated' },
  },
}
