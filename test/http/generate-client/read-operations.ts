import type { OpenApiDocument, OperationObject, ParameterObject } from '@clientele/core'
import { renderType } from './render-schema.ts'

/** An operation of the document, as a method sees it. */
export interface DescribedOperation {
  id: string
  /** The id, as types are named after it: `CreateUser` */
  name: string
  summary: string
  description: string | undefined
  method: string
  path: string
  pathNames: string[]
  query: ParameterObject[]
  headers: ParameterObject[]
  bodyForm: 'json' | 'form' | 'ndjson' | undefined
  bodyType: string | undefined
  /** The type of what it succeeds with */
  data: string
  /** Whether it succeeds with lines of JSON */
  answersLines: boolean
  /** Codes of its problems */
  codes: string[]
  needsKey: boolean
  /** Whether it is a POST that changes nothing: who may only validate tokens can change nothing */
  isRead: boolean
}

export function readOperations({ paths }: OpenApiDocument): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation)),
  )
}

function readOperation(
  path: string,
  method: string,
  operation: OperationObject,
): DescribedOperation {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation
  const placed = (place: ParameterObject['in']) => parameters.filter((each) => each.in === place)
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return {
    id,
    name: id.charAt(0).toUpperCase() + id.slice(1),
    summary,
    description,
    method: method.toUpperCase(),
    path,
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query: placed('query'),
    headers: placed('header'),
    bodyForm: formOf(mediaType),
    bodyType: media && inMedia(mediaType, renderType(media.schema), 'Lines'),
    data: readData(operation),
    answersLines: Object.values(operation.responses).some(
      ({ content }) => content?.[ndjson] !== undefined,
    ),
    codes: readCodes(operation),
    needsKey: operation.security?.length !== 0,
    isRead: method === 'post' && (description ?? '').includes('`tokens:validate`'),
  }
}

const ndjson = 'application/x-ndjson'

/** The document describes lines as a list. */
function inMedia(mediaType: string | undefined, type: string, lines: string): string {
  return mediaType === ndjson ? `${lines}<${type.replace(/\[\]$/, '')}>` : type
}

function formOf(mediaType: string | undefined): DescribedOperation['bodyForm'] {
  if (mediaType === undefined) return undefined
  if (mediaType === ndjson) return 'ndjson'
  return mediaType === 'application/json' ? 'json' : 'form'
}

function readData({ responses }: OperationObject): string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = successes.map(([, { content }]) => {
    const [mediaType, media] = Object.entries(content ?? {})[0] ?? []
    if (media === undefined) return 'undefined'
    return inMedia(mediaType, renderType(media.schema, '  '), 'AsyncIterable')
  })
  return [...new Set(types)].join(' | ')
}

/** The document has an example of each problem, by its code. */
function readCodes({ responses }: OperationObject): string[] {
  const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return problems.flatMap(([, { content }]) =>
    Object.values(content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})),
  )
}

/** What groups of operations have in common, so that what is an operation's own can be seen. */
const groups: { name: string; about: string; includes(operation: DescribedOperation): boolean }[] =
  [
    {
      name: 'KeyCode',
      about: 'What every operation that needs an API key can come to.',
      includes: ({ needsKey }) => needsKey,
    },
    {
      name: 'BodyCode',
      about: 'What every operation that takes JSON can come to, too.',
      includes: ({ bodyForm }) => bodyForm === 'json',
    },
    {
      name: 'IdempotencyCode',
      about: 'What every operation that takes an `Idempotency-Key` can come to, too.',
      includes: ({ headers }) => headers.some(({ name }) => name === 'Idempotency-Key'),
    },
  ]

/** The codes of each group: those that all of its operations have, and no group before it. */
function findCommonCodes(operations: readonly DescribedOperation[]): Map<string, string[]> {
  const taken = new Set<string>()
  return new Map(
    groups.map(({ name, includes }) => {
      const [first, ...others] = operations.filter(includes)
      const common = (first?.codes ?? []).filter(
        (code) => !taken.has(code) && others.every(({ codes }) => codes.includes(code)),
      )
      for (const code of common) taken.add(code)
      return [name, common]
    }),
  )
}

export function renderCommonCodes(operations: readonly DescribedOperation[]): string[] {
  const common = findCommonCodes(operations)
  return groups.flatMap(({ name, about }) => [
    `/** ${about} */`,
    ...renderAlias(
      name,
      (common.get(name) ?? []).map((code) => `'${code}'`),
    ),
  ])
}

export function renderCodes(
  { name, codes, ...operation }: DescribedOperation,
  operations: readonly DescribedOperation[],
): string[] {
  const common = findCommonCodes(operations)
  const inGroups = groups.filter(({ includes }) => includes({ name, codes, ...operation }))
  const shared = new Set(inGroups.flatMap((group) => common.get(group.name) ?? []))
  const own = codes.filter((code) => !shared.has(code)).map((code) => `'${code}'`)
  return renderAlias(`${name}Code`, [...inGroups.map((group) => group.name), ...own])
}

function renderAlias(name: string, parts: readonly string[]): string[] {
  const line = `export type ${name} = ${parts.join(' | ')}`
  if (line.length <= 100) return [line, '']
  return [`export type ${name} =`, ...parts.map((part) => `  | ${part}`), '']
}
