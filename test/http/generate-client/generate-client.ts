import type { JsonSchema, OpenApiDocument } from '@clientele/core'
import type { DescribedOperation } from './read-operations.ts'
import { readOperations, renderCodes, renderCommonCodes } from './read-operations.ts'
import { renderComment, renderMember, renderType } from './render-schema.ts'

const notice = '// Generated from the OpenAPI document: npm test -- http/openapi -u'

/** The generated files of `@clientele/client`, by their names. */
export function generateClient(document: OpenApiDocument): Record<string, string> {
  const operations = readOperations(document)
  return {
    'operations.ts': renderTable(operations),
    'schemas.ts': renderSchemas(document.components.schemas),
    'codes.ts': renderCodeFile(operations),
    'methods.ts': renderMethods(operations, Object.keys(document.components.schemas)),
  }
}

/** What the runtime needs to know. */
function renderTable(operations: readonly DescribedOperation[]): string {
  const lines = operations.map(({ id, method, path, bodyForm, headers, isRead, answersLines }) => {
    const members = [
      `method: '${method}'`,
      `path: '${path}'`,
      ...(bodyForm ? [`body: '${bodyForm}'`] : []),
      ...(headers.length > 0 ? [`headers: [${headers.map(({ name }) => `'${name}'`)}]`] : []),
      ...(isRead ? ['isRead: true'] : []),
      ...(answersLines ? ["answer: 'ndjson'"] : []),
    ]
    return `  ${id}: { ${members.join(', ')} },`
  })
  return [
    notice,
    "import type { Operation } from '../operation.ts'",
    "import type { ClientMethods } from './methods.ts'",
    '',
    'export const operations: Record<keyof ClientMethods, Operation> = {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

function renderSchemas(schemas: Record<string, JsonSchema>): string {
  const blocks = Object.entries(schemas).flatMap(([name, schema]) => {
    if (name === 'Problem') return []
    const type = renderType(schema)
    const declared = type.startsWith('{')
      ? `export interface ${name} ${type}`
      : `export type ${name} =${type.startsWith('\n') ? '' : ' '}${type}`
    return [...renderComment(schema.description, ''), declared, '']
  })
  return [notice, '', ...blocks].join('\n')
}

function renderCodeFile(operations: readonly DescribedOperation[]): string {
  const blocks = operations.flatMap((operation) => renderCodes(operation, operations))
  return [notice, '', ...renderCommonCodes(operations), ...blocks].join('\n')
}

function renderMethods(
  operations: readonly DescribedOperation[],
  schemas: readonly string[],
): string {
  const methods = operations.flatMap(renderMethod)
  const text = methods.join('\n')
  const used = schemas.filter((name) => new RegExp(`[ <(]${name}[,>)[ |]`).test(text))
  const list = (names: readonly string[]) => names.toSorted().map((name) => `  ${name},`)
  return [
    notice,
    "import type { CallOptions, Lines } from '../operation.ts'",
    "import type { Result } from '../result.ts'",
    'import type {',
    ...list(operations.map(({ name }) => `${name}Code`)),
    "} from './codes.ts'",
    'import type {',
    ...list(used),
    "} from './schemas.ts'",
    '',
    ...operations.flatMap(renderOptions),
    '/** The operations by their ids. Needed scopes are those of the API key. */',
    'export interface ClientMethods {',
    ...methods,
    '}',
    '',
  ].join('\n')
}

/** A condition changes what is answered: it has a signature of its own. */
const condition = 'If-None-Match'

function renderOptions({ name, query, headers }: DescribedOperation): string[] {
  const taken = [...query, ...headers.filter((header) => header.name !== condition)]
  if (taken.length === 0) return []
  const members = taken.flatMap((each) =>
    renderMember(
      each.name,
      { ...each.schema, description: each.description },
      each.required ?? false,
      '  ',
    ),
  )
  return [`export interface ${name}Options extends CallOptions {`, ...members, '}', '']
}

function renderMethod(operation: DescribedOperation): string[] {
  const { id, name, summary, description, pathNames, query, headers, bodyType, data } = operation
  const ownsOptions = [...query, ...headers].some((each) => each.name !== condition)
  const options = ownsOptions ? `${name}Options` : 'CallOptions'
  const isNeeded = query.some(({ required }) => required)
  const given = [
    ...pathNames.map((each) => `${each}: string`),
    ...(bodyType === undefined ? [] : [`body: ${bodyType}`]),
  ]
  const sign = (last: string, type: string): string =>
    `  ${id}(${[...given, last].join(', ')}): Promise<Result<${type}, ${name}Code>>`
  const told = [`${summary}.`, description].filter((each) => each !== undefined).join(' ')
  const lines = [
    ...renderComment(told, '  '),
    sign(`options${isNeeded ? '' : '?'}: ${options}`, data),
  ]
  if (!headers.some((each) => each.name === condition)) return lines
  const conditional = `options: ${options} & { '${condition}': string }`
  return [
    ...renderComment(`${told} Without data where it has not changed (304).`, '  '),
    sign(conditional, `${data} | undefined`),
    ...lines,
  ]
}
