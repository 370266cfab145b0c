import type { OpenApiDocument } from '@clientele/core'
import type { JSONObject, Tool } from '@modelcontextprotocol/server'
import type { JsonSchema, Operation } from './api-document.ts'
import { ReferenceInliner } from './inline-references.ts'
import { hasSecret } from './mask-secrets.ts'

const json = 'application/json'

/** An operation of the document, and the tool that calls it */
export interface ApiTool {
  method: string
  path: string
  /** All paths of the document */
  paths: readonly string[]
  operation: Operation
  /** Whether it changes nothing */
  isReading: boolean
  /** As the protocol describes it */
  tool: Tool
}

export interface ApiTools {
  tools: Map<string, ApiTool>
  /** The names of the operations that no tool calls */
  leftOut: string[]
}

/** Makes a tool of each operation of the document whose input and answer are JSON, and which needs the API key. */
export function makeTools(document: OpenApiDocument): ApiTools {
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  const [fit, others] = [true, false].map((isFit) =>
    found.filter(({ operation }) => isCallable(operation) === isFit),
  )
  const made = (fit ?? []).map(({ path, method, operation }): [string, ApiTool] => [
    operation.operationId,
    makeTool(path, method.toUpperCase(), operation, document),
  ])
  const leftOut = (others ?? []).map(({ operation }) => operation.operationId)
  return { tools: new Map(made), leftOut }
}

/** The schema of a success, by its status; undefined: it has no body, or the document does not describe it. */
export function answerSchema(operation: Operation, status: number): JsonSchema | undefined {
  return operation.responses[status]?.content?.[json]?.schema
}

function isCallable({ security, requestBody, responses }: Operation): boolean {
  // A public document: whoever wants it needs no API key.
  if (security?.length === 0) return false
  if (requestBody !== undefined && !(json in requestBody.content)) return false
  const types = successesOf(responses).flatMap(([, { content = {} }]) => Object.keys(content))
  return types.every((type) => type === json)
}

function successesOf(responses: Operation['responses']) {
  return Object.entries(responses).filter(([status]) => status.startsWith('2'))
}

function makeTool(
  path: string,
  method: string,
  operation: Operation,
  document: OpenApiDocument,
): ApiTool {
  const { operationId, summary } = operation
  const isReading = method === 'GET'
  const successes = successesOf(operation.responses)
  return {
    method,
    path,
    paths: Object.keys(document.paths),
    operation,
    isReading,
    tool: {
      name: operationId,
      title: summary,
      description: describe(path, method, operation, document),
      inputSchema: makeInputSchema(operation, document),
      annotations: {
        title: summary,
        readOnlyHint: isReading,
        // What only answers 201 adds something, and changes nothing that was there.
        destructiveHint: !isReading && !successes.every(([status]) => status === '201'),
        idempotentHint: method !== 'POST',
        openWorldHint: false,
      },
    },
  }
}

function describe(
  path: string,
  method: string,
  operation: Operation,
  document: OpenApiDocument,
): string {
  const { summary, description, responses } = operation
  const hasSecrets = successesOf(responses).some(([, { content }]) =>
    hasSecret(content?.[json]?.schema ?? {}, document),
  )
  return [
    `${summary} (${method} ${path}).`,
    ...(description === undefined ? [] : [description]),
    ...(hasSecrets
      ? [
          'The answer has secrets that come once: they are masked without `clientele mcp --secrets`.',
        ]
      : []),
  ].join(' ')
}

function makeInputSchema(operation: Operation, document: OpenApiDocument): Tool['inputSchema'] {
  const { parameters = [], requestBody } = operation
  const inliner = new ReferenceInliner(document)
  const fields = parameters.map(({ name, description, schema }): [string, JsonSchema] => [
    name,
    { ...inliner.copy(schema), ...(description !== undefined && { description }) },
  ])
  const body = requestBody?.content[json]?.schema
  if (body !== undefined) fields.push(['body', inliner.copy(body)])
  const required = [
    ...parameters.filter((each) => each.required).map(({ name }) => name),
    ...(requestBody?.required ? ['body'] : []),
  ]
  const { definitions } = inliner
  return {
    type: 'object',
    properties: Object.fromEntries(fields) as JSONObject, // parsed from JSON
    required,
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  }
}
