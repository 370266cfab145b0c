import type { Clientele, Operation } from '@clientele/core'
import { expect } from 'vitest'
import { type DocumentValidator, validatorOf } from './document-validator.ts'
import type { Reply } from './send.ts'

type Document = Awaited<ReturnType<Clientele['openApi']>>
type DocumentedOperation = Document['paths'][string][string]
type Responses = DocumentedOperation['responses']

/** What was sent */
export interface Asked {
  method: string
  path: string
  type: string | undefined
  body: string | Buffer | undefined
}

const ndjson = 'application/x-ndjson'

/** The document describes lines as a list. */
function readLines(body: string): unknown[] {
  return body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** Fields that the document leaves to HTTP. */
const unsaid = new Set(['content-type', 'cache-control'])

/**
 * Holds an answer against what the OpenAPI document says of its operation: status, header fields and code; with
 * `isWhole` the values of header fields and the body, too, and the request if it succeeded.
 */
export async function expectDocumented(
  clientele: Clientele,
  asked: Asked,
  reply: Reply,
  isWhole: boolean,
): Promise<void> {
  const { status, headers, body } = reply
  const method = asked.method === 'HEAD' ? 'GET' : asked.method
  const operation = findOperation(clientele.operations, method, asked.path)
  const code = /^\{"type":"urn:clientele:problem:(\w+)"/.exec(body)?.[1]
  if (operation === undefined || code === 'route_not_found') return
  const document = await clientele.openApi()
  const documented = document.paths[operation.path]?.[operation.method.toLowerCase()]
  const response = documented?.responses[status]
  const faults = listUnsaid(response, headers, code)
  if (isWhole && documented !== undefined && response !== undefined) {
    const validator = await validatorOf(clientele)
    faults.push(
      ...listHeaderFaults(validator, document, response, reply),
      ...listBodyFaults(validator, response, reply, asked.method === 'HEAD'),
      ...(status < 300 ? listRequestFaults(validator, documented, operation.path, asked) : []),
    )
  }
  if (faults.length > 0) expect({ operation: operation.id, status, faults }).toBe('documented')
}

/** Of the status, the names of header fields and the code, what the document does not name. */
function listUnsaid(
  response: Responses[string] | undefined,
  headers: Reply['headers'],
  code: string | undefined,
): unknown[] {
  if (response === undefined) return ['the status']
  const said = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()))
  const unsaidNames = Object.keys(headers).filter((name) => !said.has(name) && !unsaid.has(name))
  const { examples = {} } = response.content?.['application/problem+json'] ?? {}
  const isUnsaidCode = code !== undefined && !(code in examples)
  return [...unsaidNames.map((header) => ({ header })), ...(isUnsaidCode ? [{ code }] : [])]
}

function listHeaderFaults(
  validator: DocumentValidator,
  { components }: Document,
  response: Responses[string],
  { headers }: Reply,
): unknown[] {
  return Object.keys(response.headers).flatMap((name) => {
    const text = headers[name.toLowerCase()]
    const { schema } = components.headers[name] ?? {}
    if (text === undefined || typeof schema !== 'object' || schema === null) return []
    const errors = validator.checkAnswer(schema, read(text, schema))
    return errors.map((error) => ({ header: name, text, error }))
  })
}

function listBodyFaults(
  validator: DocumentValidator,
  { content }: Responses[string],
  { headers, body }: Reply,
  isHead: boolean,
): unknown[] {
  const [type] = headers['content-type']?.split(';') ?? []
  if (content === undefined) return body === '' && type === undefined ? [] : [{ type, body }]
  const media = type === undefined ? undefined : content[type]
  if (media === undefined) return [{ type, documented: Object.keys(content) }]
  if (type === ndjson && !isHead) return validator.checkAnswer(media.schema, readLines(body))
  if (isHead || !/[/+]json$/.test(type ?? '')) return []
  return validator.checkAnswer(media.schema, JSON.parse(body))
}

/** A request that succeeded is one that the document allows. */
function listRequestFaults(
  validator: DocumentValidator,
  { parameters = [], requestBody, security }: DocumentedOperation,
  pattern: string,
  { path, type = '', body }: Asked,
): unknown[] {
  const [bare = '', search = ''] = path.split('?')
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = patternOf(pattern).exec(bare)?.slice(1).map(decodeURIComponent) ?? []
  const given: [place: string, name: string, text: string][] = [
    ...names.map((name, index): [string, string, string] => ['path', name, values[index] ?? '']),
    ...[...new URLSearchParams(search)].map(([name, text]): [string, string, string] => [
      'query',
      name,
      text,
    ]),
  ]
  const faults: unknown[] = given.flatMap(([place, name, text]): unknown[] => {
    const parameter = parameters.find((each) => each.in === place && each.name === name)
    // Public documents take what caches add.
    if (parameter === undefined) return security?.length === 0 ? [] : [{ place, name }]
    const errors = validator.checkRequest(parameter.schema, read(normalize(text), parameter.schema))
    return errors.map((error) => ({ name, text, error }))
  })
  const mediaType = type.toLowerCase().replace(/\s*;.*/, '')
  const media = requestBody?.content[mediaType]
  const text = body?.toString() ?? ''
  if (media === undefined) return requestBody?.required ? [...faults, { type }] : faults
  if (text === '' && !requestBody?.required) return faults
  // The lines that are refused are in the answer.
  if (mediaType === ndjson) return faults
  const sent: unknown = /json$/.test(mediaType)
    ? JSON.parse(text, (name, value) => normalize(value, name))
    : Object.fromEntries(new URLSearchParams(text))
  return [...faults, ...validator.checkRequest(media.schema, sent)]
}

/**
 * As the service reads it: texts are composed and trimmed before they are measured, but for passwords (not trimmed) and
 * what names an identity (neither); a list has each text once; and where a client has not encoded the sign of an offset,
 * the blank that it became is taken.
 */
function normalize<T>(value: T, name?: string): T
function normalize(value: unknown, name?: string): unknown {
  if (Array.isArray(value)) return [...new Set(value)]
  if (typeof value !== 'string' || name === 'subject' || name === 'issuer') return value
  const text = name === 'password' ? value : value.trim()
  return text.normalize('NFC').replace(/(?<=T.*) (?=\d\d:\d\d$)/, '+')
}

/** A value of a header field or parameter as its schema has it. */
function read(text: string, schema: object): unknown {
  const type = 'type' in schema ? schema.type : undefined
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function findOperation(
  operations: readonly Operation[],
  method: string,
  path: string,
): Operation | undefined {
  const [bare = ''] = path.split('?')
  const fits = operations.filter(
    (each) => each.method === method && patternOf(each.path).test(bare),
  )
  return fits.find((each) => each.path === bare) ?? fits[0]
}

const patterns = new Map<string, RegExp>()

/** What the paths of an operation look like; made once, as each answer is compared with all. */
function patternOf(path: string): RegExp {
  const known = patterns.get(path) ?? new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
  patterns.set(path, known)
  return known
}
