import type { Client } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInTurn } from '../support/run-command.ts'
import { bodyOf, type McpWorld, openMcpWorld, textsOf, toCommand } from './mcp-world.ts'

const password = 'analytical engine'
const mask = '(masked: only clientele mcp --secrets shows it)'
let world: McpWorld
let reader: Client
let writer: Client
let open: Client
beforeAll(async () => {
  world = await openMcpWorld()
  ;[reader, writer, open] = await Promise.all([
    world.connect(),
    world.connect('--write'),
    world.connect('--write', '--secrets'),
  ])
})
afterAll(() => world.close())

async function createUser(name: string): Promise<string> {
  const email = `${name.toLowerCase()}@example.com`
  const input = { name, email, password }
  return (await world.clientele.users.create(world.accountId, input)).user.id
}

describe('without --write', () => {
  test('a tool is a GET operation of the document, and changes nothing', async () => {
    const { tools } = await reader.listTools()
    const { paths } = await world.clientele.openApi()
    const reading = Object.values(paths).flatMap(({ get }) => (get === undefined ? [] : [get]))
    const known = new Map(reading.map((each) => [each.operationId, each]))
    expect(tools.length).toBeGreaterThan(12)
    for (const { name, title, description, annotations } of tools) {
      expect(title).toBe(known.get(name)?.summary)
      expect(description).toContain(known.get(name)?.description)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    }
  })

  test('a tool that changes something is not listed, and refused by its name', async () => {
    const result = await reader.callTool({
      name: 'createUser',
      arguments: { body: { name: 'Eve', email: 'eve@example.com', password } },
    })
    expect(result.isError).toBe(true)
    expect(textsOf(result)[0]).toContain('--write')
    const { total } = await world.clientele.users.list(world.accountId, {
      email: 'eve@example.com',
    })
    expect(total).toBe(0)
  })

  test('a long list is read page by page', async () => {
    for (const name of ['Ada', 'Bea', 'Cleo']) await createUser(name)
    const first = await reader.callTool({ name: 'listUsers', arguments: { limit: 2 } })
    expect(bodyOf(first).data).toHaveLength(2)
    const [, hint = ''] = textsOf(first)
    const [, next = ''] = /^The list goes on: listUsers (.*)$/.exec(hint) ?? []
    const second = await reader.callTool({ name: 'listUsers', arguments: JSON.parse(next) })
    expect(bodyOf(second).data[0].name).toBe('Cleo')
  })

  test('arguments fill path and query', async () => {
    const id = await createUser('Dora')
    const found = await reader.callTool({ name: 'findUser', arguments: { id } })
    expect(bodyOf(found)).toMatchObject({ id, name: 'Dora' })
    const unchanged = { id, 'If-None-Match': textsOf(found)[1]?.replace('ETag: ', '') }
    const again = await reader.callTool({ name: 'findUser', arguments: unchanged })
    expect(textsOf(again)[0]).toBe('Done: The user has not changed.')
    const list = await reader.callTool({ name: 'listUsers', arguments: { q: 'dora' } })
    expect(bodyOf(list)).toMatchObject({ total: 1 })
  })

  test('a refusal of the API is a result with its problem', async () => {
    const absent = { id: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f' }
    const result = await reader.callTool({ name: 'findUser', arguments: absent })
    expect(result.isError).toBe(true)
    expect(bodyOf(result)).toMatchObject({ status: 404, code: 'user_not_found' })
    const wrong = await reader.callTool({ name: 'listUsers', arguments: { limit: 0 } })
    expect(bodyOf(wrong).errors).toMatchObject([{ pointer: '/limit' }])
  })

  test('a misspelt argument or tool is refused with the one that is meant', async () => {
    const result = await reader.callTool({ name: 'listUsers', arguments: { limits: 2 } })
    expect(result.isError).toBe(true)
    expect(textsOf(result)[0]).toContain('Did you mean limit?')
    const missing = await reader.callTool({ name: 'findUser', arguments: {} })
    expect(textsOf(missing)).toEqual(['The argument id is missing.'])
    const dots = await reader.callTool({ name: 'findUser', arguments: { id: '..' } })
    expect(dots.isError).toBe(true)
    for (const id of ['export', 'openapi.json']) {
      const other = await reader.callTool({ name: 'findUser', arguments: { id } })
      expect(textsOf(other)).toEqual([`The arguments name another operation: /client/user/${id}.`])
    }
    await expect(reader.callTool({ name: 'listUser' })).rejects.toThrow('Did you mean listUsers?')
  })

  test('a client of the former protocol is served, too', async () => {
    const client = new FormerClient({ name: 'test', version: '1.0.0' })
    await client.connect(new FormerTransport(toCommand(world.url, world.apiKey)))
    expect((await client.listTools()).tools.length).toBeGreaterThan(12)
    const result = await client.callTool({ name: 'listUsers', arguments: { limit: 1 } })
    expect(result.isError).not.toBe(true)
    await client.close()
  })
})

describe('with --write', () => {
  test('every operation in JSON that needs the key is a tool, and help names the others', async () => {
    const { tools } = await writer.listTools()
    const { paths } = await world.clientele.openApi()
    const all = Object.values(paths).flatMap((item) => Object.values(item))
    const others = all
      .map(({ operationId }) => operationId)
      .filter((name) => !tools.some((tool) => tool.name === name))
    const { output } = await runInTurn(['mcp', '--help'], {})
    const [, list = ''] = /^No tools: ([\s\S]*?)\. /m.exec(output) ?? []
    expect(list.match(/\b[a-z]+[A-Z]\w+/g)?.sort()).toEqual(others.sort())
  })

  test('its annotations say what a tool does', async () => {
    const { tools } = await writer.listTools()
    const hintsOf = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    expect(hintsOf('createUser')).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(hintsOf('deleteUser')).toMatchObject({ destructiveHint: true, idempotentHint: true })
    expect(hintsOf('eraseUser')).toMatchObject({ destructiveHint: true, idempotentHint: false })
  })

  test('the schema of the input stands alone, and has the body', async () => {
    const { tools } = await writer.listTools()
    expect(JSON.stringify(tools)).not.toContain('"#/components')
    const { inputSchema } = tools.find(({ name }) => name === 'patchUser') ?? {}
    expect(inputSchema).toMatchObject({
      required: ['id', 'body'],
      additionalProperties: false,
      properties: {
        'If-Match': { type: 'string' },
        body: { properties: { name: { type: 'string' } } },
      },
    })
  })

  test('a tool changes something, under the conditions of its header fields', async () => {
    const input = { name: 'Fay', email: 'fay@example.com', password }
    const made = await writer.callTool({ name: 'createUser', arguments: { body: input } })
    const { id } = bodyOf(made)
    expect(textsOf(made)[1]).toBe('ETag: "1"')
    const patch = { id, body: { name: 'Fay Ada' }, 'If-Match': '"7"' }
    const refused = await writer.callTool({ name: 'patchUser', arguments: patch })
    expect(bodyOf(refused).code).toBe('precondition_failed')
    const gone = await writer.callTool({ name: 'deleteUser', arguments: { id } })
    expect(gone.isError).not.toBe(true)
    expect(textsOf(gone)[0]).toMatch(/^Done/)
  })

  test('invalid fields are named', async () => {
    const invalid = { name: 'createUser', arguments: { body: { name: 'G' } } }
    const result = await writer.callTool(invalid)
    expect(result.isError).toBe(true)
    expect(bodyOf(result)).toMatchObject({ status: 422, code: 'validation_failed' })
    const pointers = bodyOf(result).errors.map((each: { pointer: string }) => each.pointer)
    expect(pointers).toContain('/email')
  })
})

describe('secrets that come once', () => {
  const webhook = { body: { url: 'https://example.com/hook' } }
  const signIn = (email: string) => ({ name: 'logIn', arguments: { body: { email, password } } })

  test('are masked without --secrets', async () => {
    const id = await createUser('Hedy')
    const made = await writer.callTool({ name: 'createWebhook', arguments: webhook })
    expect(bodyOf(made).secret).toBe(mask)
    const signedIn = bodyOf(await writer.callTool(signIn('hedy@example.com')))
    expect(signedIn.data).toMatchObject({ token: mask, refresh_token: mask, expires_in: 7200 })
    expect(signedIn.user).toMatchObject({ id, email: 'hedy@example.com' })
    const token = { id, body: { name: 'Script' } }
    const given = await writer.callTool({ name: 'createUserToken', arguments: token })
    expect(bodyOf(given).token).toBe(mask)
    expect(bodyOf(given).prefix).toMatch(/^cut_/)
    const totp = await writer.callTool({ name: 'enrolTotp', arguments: { id, qr: 'svg' } })
    expect(bodyOf(totp)).toEqual({ secret: mask, otpauth_uri: mask, qr_svg: mask })
    const { tools } = await writer.listTools()
    const described = tools.find(({ name }) => name === 'createWebhook')?.description
    expect(described).toContain('--secrets')
  })

  test('are shown with --secrets', async () => {
    await createUser('Ina')
    const made = await open.callTool({ name: 'createWebhook', arguments: webhook })
    expect(bodyOf(made).secret).toMatch(/^whsec_/)
    const signedIn = await open.callTool(signIn('ina@example.com'))
    expect(bodyOf(signedIn).data.token).toMatch(/^eyJ/)
  })
})

test('an answer that is too large, not of Clientele or a redirect is a result that says so', async () => {
  const list = { name: 'listUsers', arguments: { limit: 1 } }
  const json = { 'content-type': 'application/json' }
  const seen: string[] = []
  const answers: [RegExp, (path: string) => [number, Record<string, string>, string]][] = [
    [/256 KiB.*smaller limit.*page or cursor/, () => [200, json, '"'.padEnd(300_000, 'a')]],
    [/is not Clientele's: it is text\/html/, () => [502, { 'content-type': 'text/html' }, '<p>']],
    [/is not Clientele's: it is invalid JSON/, () => [200, json, '{']],
    [/leads elsewhere/, (path) => [307, { location: `/elsewhere${path}` }, '']],
  ]
  for (const [words, answer] of answers) {
    world.answerBy(({ url = '' }, response) => {
      seen.push(url)
      const [status, headers, body] = answer(url)
      response.writeHead(status, headers).end(body)
    })
    const result = await reader.callTool(list)
    expect(result.isError).toBe(true)
    expect(textsOf(result)[0]).toMatch(words)
  }
  world.answerBy(({ socket }) => socket.destroy())
  expect(textsOf(await reader.callTool(list))[0]).toContain('No answer came from')
  world.answerBy(undefined)
  expect(seen.filter((path) => path.startsWith('/elsewhere'))).toEqual([])
  expect((await reader.callTool(list)).isError).not.toBe(true)
})
