import { createServer } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { clienteleListener } from '@clientele/core/node'
import { requireUser } from '@clientele/express'
import express from 'express'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { LogRecorder } from '../keys/open-clientele.ts'
import { createTenant, openClientele } from './support/world.ts'
import { listen } from './targets/target.ts'

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.MEUCIQ'

describe('mistakes that are named', () => {
  const logger = new LogRecorder()
  let clientele: Awaited<ReturnType<typeof openClientele>>
  let key: string
  beforeAll(async () => {
    clientele = await openClientele('sqlite::memory:', undefined, { logger })
    key = (await createTenant(clientele)).key
  })
  afterAll(() => clientele.close())

  /** The address of a server that answers by this until the test ends. */
  async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const host = await listen(createServer(listener), 'root')
    onTestFinished(() => host.close())
    return host.origin
  }

  async function send(url: string, init: RequestInit & { key?: string } = {}) {
    const headers = { authorization: `Bearer ${init.key ?? key}`, ...init.headers }
    const response = await fetch(url, { ...init, headers })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  test('a body that was read before', async () => {
    const routes = clienteleListener(clientele)
    const origin = await serve((req, res) => {
      readText(req).then(() => routes(req, res))
    })
    const json = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers: json, body: '{"token":"x"}' }
    const answer = await send(`${origin}/client/user/auth/validation-token`, sent)
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(logger.lines.at(-1)).toMatchObject({
      level: 'error',
      details: { error: { message: /^The body of a request was read before it came/ } },
    })
  })

  test('a body as text where bytes belong', async () => {
    const request = {
      ...{ method: 'POST', url: '/client/user/auth/validation-token', mountPath: '' },
      ...{ body: '{"token":"x"}', rawHeaders: [] },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    }
    const response = await Reflect.apply(clientele.handle, clientele, [request])
    expect(response).toMatchObject({ status: 500 })
    expect(logger.lines.at(-1)).toMatchObject({
      details: { error: { message: /must be an async iterable of bytes: pass a text/ } },
    })
  })

  test('a misspelt type of event, over HTTP and in process', async () => {
    const origin = await serve(clienteleListener(clientele))
    const meant = expect.stringMatching(/\(did you mean user\.created\?\)$/)
    const { body } = await send(`${origin}/client/event?type=session.*,user.craeted`)
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/type/1', message: meant }],
    })
    const [account] = await clientele.accounts.list()
    const read = clientele.events.read(account?.id ?? '', { types: ['user.craeted'] })
    await expect(read).rejects.toMatchObject({
      issues: [{ pointer: '/types/0', message: meant }],
    })
  })

  test('the token of a user where an API key belongs', async () => {
    const origin = await serve(clienteleListener(clientele))
    expect(await send(`${origin}/client/user`, { key: jwt })).toMatchObject({
      status: 401,
      body: {
        code: 'api_key_invalid',
        detail: 'This is a token of a user: send an API key, cu_….',
      },
    })
  })

  test('an API key where the token of a user belongs', async () => {
    const said = {
      status: 401,
      body: {
        code: 'token_malformed',
        detail: "This is an API key: send a user's token, a JWT or cut_….",
      },
    }
    const origin = await serve(clienteleListener(clientele))
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: `Bearer ${key}` }),
    }
    const answer = await send(`${origin}/client/user/auth/validation-token`, sent)
    expect(answer).toMatchObject(said)
    const app = express()
    app.use(requireUser(clientele))
    expect(await send(await serve(app))).toMatchObject(said)
  })

  test('a request without rawHeaders', async () => {
    const request = {
      ...{ method: 'GET', url: '/client/user', mountPath: '', body: new Blob([]).stream() },
      headers: { authorization: `Bearer ${key}` },
    }
    const response = await Reflect.apply(clientele.handle, clientele, [request])
    expect(response).toMatchObject({ status: 500 })
    expect(logger.lines.at(-1)).toMatchObject({
      details: { error: { message: /^The request needs rawHeaders/ } },
    })
  })
})

test('a POST whose members may all be left out needs no body', async () => {
  const clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const { key } = await createTenant(clientele)
  const { paths } = await clientele.openApi()
  const host = await listen(createServer(clienteleListener(clientele)), 'root')
  onTestFinished(() => host.close())
  const bare = Object.entries(paths).flatMap(([path, { post }]) =>
    post?.requestBody?.required === false ? [path] : [],
  )
  const path = '/client/user/auth/login/passkey/options'
  const ofUsers = ['/client/user/{id}/invite', '/client/user/{id}/passkey/options']
  expect(bare).toEqual([...ofUsers, path])
  for (const init of [{}, { headers: { 'content-type': 'application/json' } }]) {
    const send = async (below: string): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, ...init.headers }
      const response = await fetch(host.origin + below, { method: 'POST', headers })
      return JSON.parse(await response.text()).code
    }
    // It has been read: only the settings are missing.
    expect(await send(path)).toBe('passkeys_not_configured')
    const other = await send('/client/user')
    expect(['media_type_unsupported', 'malformed_json']).toContain(other)
  }
})

test('the document states the default page, and that unknown query parameters are refused', async () => {
  const clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const { paths } = await clientele.openApi()
  const page = paths['/client/user']?.get?.parameters?.find(({ name }) => name === 'page')
  expect(page?.schema).toMatchObject({ type: 'integer', default: 1 })
  const silent = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ security, responses }) => security?.length !== 0 && !('422' in responses))
  expect(silent.map(({ operationId }) => operationId)).toEqual([])
})
