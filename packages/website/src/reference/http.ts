import type { Page } from '../pages/page.ts'
import { describeSchema, nameSchema } from './describe-schema.ts'
import { escapeCell, escapeText, joinParts, toBlock, toCode, toTable } from './markdown.ts'
import { linkCodes } from './read-docs.ts'
import type { Content, HttpApi, Operation } from './read-operations.ts'

/** One page with every operation: parameters, body and answers. */
export function describeHttp({ operations, tags, schemas }: HttpApi): Page {
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ tag }) => tag === name)
    return joinParts(`## ${name}`, escapeText(description), ...own.map(describeOperation))
  })
  return {
    route: '/reference/http/',
    title: 'HTTP operations',
    text: joinParts(
      '# HTTP operations',
      'Made from the OpenAPI 3.1 document, which a running Clientele serves at `/client/user/openapi.json`. Paths are ' +
        'relative to the mount point. Every request except those below “Documents” sends `Authorization: Bearer <API key>`.',
      ...groups,
      '## Bodies',
      ...Object.entries(schemas).map(([name, schema]) =>
        joinParts(`### ${name}`, describeSchema(schema)),
      ),
    ),
  }
}

function describeOperation(operation: Operation): string {
  const {
    method,
    path,
    summary,
    anchor,
    description = '',
    parameters,
    requestBody,
    responses,
  } = operation
  return joinParts(
    `### ${summary} {#${anchor}}`,
    toBlock('http', `${method} ${path}`),
    escapeText(description),
    toTable(
      ['parameter', 'in', 'type', ''],
      parameters.map((each) => [
        toCode(each.name),
        each.in,
        nameSchema(each.schema),
        escapeCell(each.description ?? '') + (each.required === true ? ' Required.' : ''),
      ]),
    ),
    ...Object.entries(requestBody?.content ?? {}).map(([type, content]) =>
      joinParts(`**Body**, ${toCode(type)}: ${nameContent(content)}`, showExample(content)),
    ),
    toTable(
      ['status', 'answer', ''],
      Object.entries(responses).map(([status, answer]) => [
        status,
        nameAnswer(answer.content),
        linkCodes(escapeCell(answer.description)),
      ]),
    ),
  )
}

function nameAnswer(content: Record<string, Content> = {}): string {
  return Object.entries(content)
    .map(([type, each]) => (type.includes('problem') ? '[Problem](#problem)' : nameContent(each)))
    .join(', ')
}

function nameContent({ schema }: Content): string {
  return schema === undefined ? '' : nameSchema(schema)
}

function showExample({ example }: Content): string {
  return example === undefined ? '' : toBlock('json', JSON.stringify(example, null, 2))
}
