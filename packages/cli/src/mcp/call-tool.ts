import type { OpenApiDocument } from '@clientele/core'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isObject } from '../is-object.ts'
import { AnswerTooLarge, type ApiAnswer, type ApiDoor } from './api-door.ts'
import { type ApiTool, answerSchema } from './api-tool.ts'
import { buildRequest } from './build-request.ts'
import { maskSecrets } from './mask-secrets.ts'
import { ToolFault } from './tool-fault.ts'

export interface ToolSettings {
  door: ApiDoor
  document: OpenApiDocument
  /** Whether answers have their secrets */
  showsSecrets: boolean
  /** A larger answer is refused. */
  maxBytes: number
}

/** Calls an operation. Whatever fails is a result that says so. */
export async function callTool(
  tool: ApiTool,
  given: Record<string, unknown>,
  settings: ToolSettings,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const answer = await settings.door.send(buildRequest(tool, given), settings.maxBytes, signal)
    return answer.status < 300 || answer.status === 304
      ? show(answer, tool, settings)
      : showProblem(answer)
  } catch (error) {
    if (error instanceof AnswerTooLarge) return refuse(`${error.message} ${askForLess(tool)}`)
    if (error instanceof ToolFault) return refuse(error.message)
    throw error
  }
}

export function refuse(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function show(answer: ApiAnswer, tool: ApiTool, settings: ToolSettings): CallToolResult {
  const texts = [describeBody(answer, tool, settings), ...describeFields(answer, tool)]
  return { content: texts.map((text) => ({ type: 'text', text })) }
}

function describeBody(
  { status, body }: ApiAnswer,
  { operation }: ApiTool,
  { document, showsSecrets }: ToolSettings,
): string {
  if (body === undefined) return `Done: ${operation.responses[status]?.description ?? status}.`
  if (showsSecrets) return JSON.stringify(body)
  const schema = answerSchema(operation, status)
  // What is not described may have secrets.
  if (schema === undefined)
    throw new ToolFault(`It is done, but the document does not describe the answer ${status}.`)
  return JSON.stringify(maskSecrets(body, schema, document))
}

/** What only header fields say: the version of an object, and where a list goes on. */
function describeFields({ headers }: ApiAnswer, { tool }: ApiTool): string[] {
  const tag = headers.get('etag')
  const next = /<([^<>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return [
    ...(tag === null ? [] : [`ETag: ${tag}`]),
    ...(next === undefined ? [] : [`The list goes on: ${tool.name} ${describeQuery(next)}`]),
  ]
}

function describeQuery(link: string): string {
  const { searchParams } = new URL(link, 'http://localhost')
  const entries = [...searchParams].map(([name, text]): [string, string | number] => [
    name,
    /^\d{1,9}$/.test(text) ? Number(text) : text,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

/** A problem (RFC 9457), without the members that repeat others. */
function showProblem({ status, headers, body }: ApiAnswer): CallToolResult {
  if (!isObject(body) || typeof body.code !== 'string')
    return refuse(`The answer ${status} is not Clientele's.`)
  const { code, detail, errors } = body
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return refuse(
    JSON.stringify({
      status,
      code,
      detail,
      ...(errors !== undefined && { errors }),
      ...(Number.isFinite(retryAfter) && { retry_after_seconds: retryAfter }),
    }),
  )
}

function askForLess({ tool }: ApiTool): string {
  const known = Object.keys(tool.inputSchema.properties ?? {})
  const bounds = known.filter((name) => name === 'limit')
  const places = known.filter((name) => ['page', 'cursor', 'after'].includes(name))
  if (bounds.length === 0) return 'The operation cannot give a part of it.'
  const rest = places.length === 0 ? '' : `, and read on with ${places.join(' or ')}`
  return `Ask for less: a smaller ${bounds.join()}${rest}.`
}
