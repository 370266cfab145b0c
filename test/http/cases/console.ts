import { expect } from 'vitest'
import type { Reply } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { type Case, flow, newAda } from './case.ts'

const root = '/client/console'
const ours = ['clientele-console', '1', 'sec-fetch-site', 'same-origin']
const closed = {
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
}

interface Asked {
  method?: string
  json?: unknown
  cookie?: string | undefined
  headers?: readonly string[]
}

/** Asks as the page does. */
function ask(world: World, path: string, asked: Asked = {}): Promise<Reply> {
  const { cookie, headers = ours, ...call } = asked
  const more = cookie === undefined ? [] : ['cookie', cookie]
  return world.send({ key: null, path: root + path, ...call, headers: [...headers, ...more] })
}

async function signIn(world: World, json: object): Promise<string> {
  const { status, headers } = await ask(world, '/session', { method: 'POST', json })
  const set = headers['set-cookie'] ?? ''
  expect([status, set]).toEqual([
    201,
    expect.stringContaining(
      `; Path=${world.prefix}${root}; Max-Age=3600; HttpOnly; SameSite=Strict`,
    ),
  ])
  return set.split(';')[0] ?? ''
}

function codeOf({ status, body }: Reply): [number, unknown] {
  return [status, JSON.parse(body).code]
}

export const consoleCases: readonly Case[] = [
  flow('console: the page and its files', async (world) => {
    const lead = await ask(world, '', { headers: [] })
    expect([lead.status, lead.headers.location]).toEqual([308, 'console/'])
    expect(lead.headers).toMatchObject(closed)
    const page = await ask(world, '/', { headers: [] })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers).toMatchObject({ ...closed, 'cache-control': 'no-store' })
    const [, script] = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(page.body) ?? []
    const file = await ask(world, `/${script}`, { headers: [] })
    expect([file.status, file.headers['content-type']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(file.headers['cache-control']).toContain('immutable')
    const head = await ask(world, '/', { method: 'HEAD', headers: [] })
    expect([head.status, head.body, head.headers]).toEqual([
      200,
      '',
      { ...page.headers, 'x-request-id': expect.any(String) },
    ])
  }),
  flow('console: unknown paths and methods', async (world) => {
    for (const path of ['/nothing', '/assets/nothing.js', '/assets/..%2findex.html', '/api/x']) {
      const reply = await ask(world, path)
      expect([path, ...codeOf(reply)]).toEqual([path, 404, 'route_not_found'])
      expect(reply.headers).toMatchObject(closed)
    }
    const reply = await ask(world, '/session', { method: 'PUT', json: {} })
    expect([...codeOf(reply), reply.headers.allow]).toEqual([
      405,
      'method_not_allowed',
      'POST, GET, HEAD, DELETE',
    ])
  }),
  flow('console: the session of an API key', async (world) => {
    const cookie = await signIn(world, { api_key: world.key })
    const made = await ask(world, '/api/client/user', { method: 'POST', json: newAda, cookie })
    expect([made.status, made.headers.location]).toEqual([
      201,
      `${world.prefix}/client/user/${JSON.parse(made.body).id}`,
    ])
    expect(made.headers).toMatchObject(closed)
    const list = await ask(world, '/api/client/user?limit=1', { cookie })
    expect([list.status, JSON.parse(list.body).total]).toEqual([200, 1])
    const file = await ask(world, '/export', { cookie })
    expect(JSON.parse(file.body)).toMatchObject({ records: [{ email: newAda.email }], total: 1 })
    expect(codeOf(await ask(world, '/accounts', { cookie }))).toEqual([
      403,
      'console_operator_required',
    ])
    const out = await ask(world, '/session', { method: 'DELETE', cookie })
    expect([out.status, out.headers['set-cookie']]).toEqual([
      204,
      expect.stringContaining('clientele_console=; '),
    ])
  }),
  flow('console: the session of a link', async (world) => {
    const { token } = await world.clientele.console.createLink()
    const cookie = await signIn(world, { link: token })
    const headers = [...ours, 'Clientele-Account', world.account.id]
    const list = await ask(world, '/api/client/user', { cookie, headers })
    expect([list.status, JSON.parse(list.body).total]).toEqual([200, 0])
    const deleted = await ask(world, `/accounts/${world.account.id}`, {
      method: 'DELETE',
      json: { name: 'Another' },
      cookie,
    })
    expect(codeOf(deleted)).toEqual([422, 'validation_failed'])
    expect((await ask(world, '/accounts', { cookie })).status).toBe(200)
  }),
  flow('console: no session, and requests from other pages', async (world) => {
    expect(codeOf(await ask(world, '/api/client/user'))).toEqual([401, 'console_session_missing'])
    const cookie = await signIn(world, { api_key: world.key })
    for (const headers of [[], ['clientele-console', '1', 'sec-fetch-site', 'cross-site']]) {
      const forged = await ask(world, '/api/client/user', { cookie, headers })
      expect(codeOf(forged)).toEqual([403, 'console_request_forged'])
    }
    const form = await world.send({
      key: null,
      method: 'POST',
      path: `${root}/session`,
      headers: ['content-type', 'application/x-www-form-urlencoded'],
      body: `api_key=${world.key}`,
    })
    expect(codeOf(form)).toEqual([403, 'console_request_forged'])
  }),
]
