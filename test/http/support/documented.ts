import type { Clientele, Operation } from '@clientele/core'
import { expect } from 'vitest'
import type { Reply } from './send.ts'

/** Fields that the document leaves to HTTP. */
const unsaid = ['content-type', 'cache-control']

/** Holds an answer against what the OpenAPI document says of its operation: status, header fields and code. */
export async function expectDocumented(
  { operations, openApi }: Clientele,
  method: string,
  path: string,
  { status, headers, body }: Reply,
): Promise<void> {
  const operation = findOperation(operations, method === 'HEAD' ? 'GET' : method, path)
  const code = /^\{"type":"urn:clientele:problem:(\w+)"/.exec(body)?.[1]
  if (operation === undefined || code === 'route_not_found') return
  const { paths } = await openApi()
  const response = paths[operation.path]?.[operation.method.toLowerCase()]?.responses[status]
  expect([operation.id, status, response !== undefined]).toEqual([operation.id, status, true])
  const said = Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase())
  expect([...said, ...unsaid]).toEqual(expect.arrayContaining(Object.keys(headers)))
  if (code === undefined) return
  const { examples = {} } = response?.content?.['application/problem+json'] ?? {}
  expect([operation.id, Object.keys(examples)]).toEqual([
    operation.id,
    expect.arrayContaining([code]),
  ])
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
  const known = patterns.get(path) ?? new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(path, known)
  return known
}
