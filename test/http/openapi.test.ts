import { readFileSync } from 'node:fs'
import { createClient, dataOf } from '@clientele/client'
import { type Account, type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateClient } from './generate-client/generate-client.ts'
import { DocumentValidator } from './support/document-validator.ts'

interface Media {
  schema?: object
  example?: unknown
  examples?: Record<string, { value: unknown } | { $ref: string }>
}
interface Operation {
  operationId: string
  summary: string
  security?: object[]
  requestBody?: { content: Record<string, Media> }
  parameters?: { name: string; schema: object }[]
  responses: Record<
    string,
    { description: string; headers: Record<string, object>; content?: Record<string, Media> }
  >
}
interface Document {
  openapi: string
  info: object
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description: string }[]
  components: {
    schemas: Record<string, object>
    examples: Record<string, { value: unknown }>
    headers: Record<string, object>
  }
}

let clientele: Clientele
let account: Account
let apiKey: string
let text: string
let document: Document

// Sends what the client sends to the core, and keeps what it answers.
const seen: { path: string; method: string; status: number; type: string; body: unknown }[] = []
async function send(given: string, init?: RequestInit): Promise<Response> {
  const request = new Request(given, init)
  const url = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const answer = await clientele.handle({
    method: request.method,
    url: url.pathname + url.search,
    mountPath: '',
    headers,
    rawHeaders: Object.entries(headers).flat(),
    body: new Blob([await request.arrayBuffer()]).stream(),
  })
  if (answer === undefined) throw new Error(`${url} is not a path of ours`)
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';')
  const body: unknown = answer.body === undefined ? undefined : JSON.parse(answer.body)
  seen.push({ path: url.pathname, method: request.method, status: answer.status, type, body })
  return new Response(answer.body ?? null, { status: answer.status, headers: answer.headers })
}

beforeAll(async () => {
  clientele = await createClientele({
    repository: sqlite({ filename: ':memory:' }),
    secrets: ['a secret of at least thirty-two characters'],
    passwords: { hashing: { memoryKiB: 64, passes: 1 } },
  })
  account = await clientele.accounts.create({ name: 'Acme' })
  apiKey = (await clientele.apiKeys.create(account.id)).apiKey
  const response = await send('http://host/client/user/openapi.json')
  text = await response.text()
  document = JSON.parse(text)
  const validator = new DocumentValidator(document)
  validate = (schema, value) =>
    validator.checkAnswer(schema, value).map((error) => ({ error, value }))
})
let validate: (schema: object, value: unknown) => unknown[]
afterAll(() => clientele.close())

function readExample(example: { value: unknown } | { $ref: string }): unknown {
  if ('value' in example) return example.value
  return document.components.examples[example.$ref.replace('#/components/examples/', '')]?.value
}

function operations(): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

test('a public linter reports no problem', async () => {
  const config = await createConfig('extends: [recommended-strict]')
  const problems = await lintFromString({ source: text, config })
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([])
})

test('the document has the version of the package, and equals the one in process', async () => {
  const manifest = new URL('../../packages/core/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  expect(document.info).toMatchObject({ title: 'Clientele', version })
  expect(JSON.parse(JSON.stringify(await clientele.openApi()))).toEqual(document)
})

describe('every operation', () => {
  test('has a schema and an example that fits it for each success and error', () => {
    const faults: unknown[] = []
    for (const [name, { responses, requestBody }] of operations()) {
      const bodies = [...Object.entries(responses), ['request', requestBody ?? {}] as const]
      for (const [status, body] of bodies) {
        const content = 'content' in body ? (body.content ?? {}) : {}
        const isEmpty =
          status === 'request' || status === '204' || status === '304' || status === '202'
        if (Object.keys(content).length === 0 && !isEmpty) faults.push([name, status, 'no content'])
        for (const [type, media] of Object.entries(content)) {
          const examples = Object.values(media.examples ?? {}).map(readExample)
          if (media.example !== undefined) examples.push(media.example)
          if (media.schema === undefined) faults.push([name, status, type, 'no schema'])
          if (examples.length === 0) faults.push([name, status, type, 'no example'])
          for (const example of examples) {
            const errors = validate(media.schema ?? {}, example)
            if (errors.length > 0) faults.push([name, status, type, example, errors])
          }
          if (Number(status) >= 400 && type !== 'application/problem+json') {
            faults.push([name, status, type])
          }
        }
      }
    }
    expect(faults).toEqual([])
  }, 60_000)

  test('that can be limited or unavailable says when to try again', () => {
    for (const [name, { responses }] of operations()) {
      for (const status of ['429', '503']) {
        const { headers } = responses[status] ?? {}
        if (headers !== undefined)
          expect([name, headers]).toMatchObject([name, { 'Retry-After': {} }])
      }
      for (const { headers } of Object.values(responses))
        expect(headers).toHaveProperty('X-Request-Id')
    }
    const limited = operations().filter(([, { responses }]) => responses['429'] !== undefined)
    expect(limited.map(([, { operationId }]) => operationId)).toEqual(
      expect.arrayContaining([
        'logIn',
        'completeTwoFactor',
        'mailTwoFactorCode',
        'confirmTotp',
        'forgotPassword',
        'requestEmailVerification',
      ]),
    )
  })

  test('that needs an API key says how it is refused', () => {
    for (const [name, { security, responses }] of operations()) {
      const needsKey = security?.length !== 0
      const expected = needsKey ? ['400', '401', '403', '500', '503'] : []
      expect([name, Object.keys(responses)]).toEqual([name, expect.arrayContaining(expected)])
    }
  })
})

describe('the described operations', () => {
  test('have valid examples, and bounds', () => {
    const faults: unknown[] = []
    const visit = (part: unknown, path: string): void => {
      if (typeof part === 'string' && part === '…') faults.push([path, 'a placeholder'])
      if (typeof part !== 'object' || part === null) return
      const { type, format, minimum, maximum, examples, ...rest } = part as Record<string, unknown> // an object
      if (rest.readOnly === true) return
      const isChosen = 'enum' in rest || 'const' in rest
      const isValue = type === 'string' || type === 'integer'
      if (isValue && !isChosen && examples === undefined && !/\/(items|anyOf\/\d)$/.test(path)) {
        faults.push([path, 'no example'])
      }
      if (type === 'integer' && !(/^int(32|64)$/.test(String(format)) && Number(minimum) >= 0)) {
        faults.push([path, 'no format or minimum'])
      }
      if (
        type === 'integer' &&
        Math.abs(Number(maximum ?? 0)) > (format === 'int32' ? 2 ** 31 : 2 ** 53)
      ) {
        faults.push([path, maximum])
      }
      for (const [name, value] of Object.entries(part)) visit(value, `${path}/${name}`)
    }
    visit(document.paths, '/paths')
    visit(document.components, '/components')
    expect(faults).toEqual([])
  })

  test('have bounds for every text in requests', () => {
    const faults: unknown[] = []
    const visit = (part: unknown, path: string): void => {
      if (typeof part !== 'object' || part === null) return
      const schema = part as Record<string, unknown> // an object
      if (schema.readOnly === true) return
      if (typeof schema.$ref === 'string') {
        const name = schema.$ref.replace('#/components/schemas/', '')
        visit(document.components.schemas[name], name)
        return
      }
      const isBound = ['enum', 'const', 'maxLength', 'pattern'].some((word) => word in schema)
      if (schema.type === 'string' && schema.format !== 'uuid' && !isBound) faults.push(path)
      for (const [name, value] of Object.entries(schema)) visit(value, `${path}/${name}`)
    }
    for (const [name, { requestBody, parameters = [] }] of operations()) {
      const { schema } = requestBody?.content['application/json'] ?? {}
      visit(schema, name)
      for (const each of parameters)
        if (!each.name.startsWith('If-')) visit(each.schema, `${name} ${each.name}`)
    }
    expect(faults).toEqual([])
  })

  test('state the default of limit', () => {
    const [, list] = operations().find(([name]) => name === 'get /client/user') ?? []
    const limit = list?.parameters?.find(({ name }) => name === 'limit')
    expect(limit?.schema).toMatchObject({ type: 'integer', default: 10, minimum: 1, maximum: 100 })
  })

  test('have tags with descriptions', () => {
    const summaries = operations().map(([, { summary }]) => summary)
    for (const { name, description } of document.tags) {
      expect([name, description.length > 30]).toEqual([name, true])
      expect(summaries.filter((summary) => description.includes(summary))).toEqual([])
    }
  })
})

// `npm test -- http/openapi -u` writes them anew.
describe('the client is generated from the served document', () => {
  const names = ['codes.ts', 'methods.ts', 'operations.ts', 'schemas.ts']
  test.each(names)('%s', async (name) => {
    const files = generateClient(await clientele.openApi())
    expect(Object.keys(files).toSorted()).toEqual(names)
    const folder = '../../packages/client/src/generated'
    await expect(files[name]).toMatchFileSnapshot(`${folder}/${name}`)
  })
})

test('the client drives the server, and every answer is as documented', async () => {
  const options = { baseUrl: 'http://host', fetch: send, retry: { count: 0 } }
  const client = createClient({ ...options, apiKey })
  const body = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse' }
  const created = await client.createUser(body)
  expect(created.response?.status).toBe(201)
  const user = dataOf(created)
  expect(dataOf(await client.findUser(user.id))).toEqual(user)
  const list = dataOf(await client.listUsers({ limit: 5, sort: '-name' }))
  expect(list).toEqual({ data: [user], page: 1, limit: 5, total: 1 })
  const signedIn = dataOf(await client.logIn({ email: body.email, password: body.password }))
  if (signedIn.success_code !== 200) throw new Error('No second factor is enrolled')
  const token = `Bearer ${signedIn.data.token}`
  const validated = dataOf(await client.validateToken({ token }))
  expect(validated).toEqual({ isValid: true, success_code: 200, user })
  const replaced = await client.replaceUser(user.id, { ...body, roles: ['x'] })
  expect(replaced.data?.roles).toEqual(['x'])
  await client.patchUser(user.id, { metadata: { plan: 'pro' } })
  await client.deactivateUser(user.id)
  await client.activateUser(user.id)
  await client.readJwks(account.id)
  await client.readOpenIdConfiguration(account.id)
  await client.readOpenApi()

  const taken = await client.createUser(body)
  expect([taken.response?.status, taken.problem?.code]).toEqual([409, 'email_taken'])
  const broken = await client.createUser({ ...body, name: 'A', email: '@' })
  expect(broken.problem?.errors?.map(({ pointer }) => pointer)).toEqual(['/email', '/name'])
  await client.logIn({ email: body.email, password: 'wrong' })
  await client.validateToken({ token: 'Bearer x.y.z' })
  await createClient({ ...options, apiKey: 'wrong' }).createUser(body)
  await client.listUsers({ limit: 1000 })
  expect((await client.deleteUser(user.id)).response?.status).toBe(204)
  expect((await client.findUser(user.id)).problem?.code).toBe('user_not_found')

  const faults = seen.flatMap(({ path, method, status, type, body }) => {
    const named = path.replace(account.id, '{account_id}').replace(user.id, '{id}')
    const template = document.paths[named]
    const documented = template?.[method.toLowerCase()]?.responses[status]
    if (documented === undefined) return [[method, path, status, 'is not documented']]
    if (body === undefined) return []
    const schema = documented.content?.[type]?.schema
    return schema === undefined ? [[method, path, status, type]] : validate(schema, body)
  })
  expect(seen.length).toBeGreaterThan(18)
  expect(faults).toEqual([])
})
