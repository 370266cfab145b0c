import { setTimeout as sleep } from 'node:timers/promises'
import { ClienteleError, toProblem } from '@clientele/core'
import { clienteleHandler, requireUser } from '@clientele/fetch'
import { afterAll, describe, expect, test } from 'vitest'
import { logIn } from '../support/log-in.ts'
import { Clock, createTenant, openClientele, password } from './support/world.ts'

const clientele = await openClientele('sqlite::memory:', new Clock())
afterAll(() => clientele.close())
const { account, key } = await createTenant(clientele)
const handler = clienteleHandler(clientele, { prefix: '/api/v1/' })
const guard = requireUser(clientele)

const root = 'https://api.example.com/api/v1/client/user'
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
let count = 0
const person = () => ({ name: 'Ada Lovelace', email: `ada-${++count}@example.com`, password })

function post(body: string | ReadableStream): Request {
  return new Request(root, { method: 'POST', headers, body, duplex: 'half' })
}

async function answer(request: Request): Promise<Response> {
  const response = await handler(request)
  if (response === undefined) throw new Error(`${request.url} is not ours.`)
  return response
}

test('a route of the host’s renders an error as our routes do', async () => {
  const path = `${root}/019dfae2-6a4d-7000-8000-000000000000`
  const ours = await answer(new Request(path, { headers }))
  const { status, headers: fields, body } = toProblem(new ClienteleError('user_not_found'))
  const own = new Response(body, { status, headers: fields })
  const read = async (response: Response) => ({
    status: response.status,
    fields: [...response.headers].map(([name, value]) => (name === 'x-request-id' ? name : value)),
    text: await response.text(),
  })
  expect(await read(own)).toEqual(await read(ours))
  expect(toProblem(new ClienteleError('secret_wrong'))).toMatchObject({ status: 500 })
})

test('a user is created; Location has the prefix', async () => {
  const response = await answer(post(JSON.stringify(person())))
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { id: string } // as the contract has it
  expect(response.headers.get('location')).toBe(`/api/v1/client/user/${id}`)
})

test.each([
  'https://api.example.com/',
  'https://api.example.com/client/user',
  'https://api.example.com/api/v1x/client/user',
  'https://api.example.com/api/v1/client/users',
])('%s is left to the host, and its body is not read', async (url) => {
  const request = new Request(url, { method: 'POST', headers, body: 'x', duplex: 'half' })
  expect(await handler(request)).toBeUndefined()
  expect(await request.text()).toBe('x')
})

describe('answers without a body have none', () => {
  test('HEAD, 304 and 204', async () => {
    const { user, version } = await clientele.users.create(account.id, person())
    const url = `${root}/${user.id}`
    const head = await answer(new Request(url, { method: 'HEAD', headers }))
    const get = await answer(new Request(url, { headers }))
    expect([head.status, head.body]).toEqual([200, null])
    const length = String((await get.arrayBuffer()).byteLength)
    expect(head.headers.get('content-length')).toBe(length)
    const known = { ...headers, 'if-none-match': `"${version}"` }
    const unchanged = await answer(new Request(url, { headers: known }))
    expect([unchanged.status, unchanged.body]).toEqual([304, null])
    const gone = await answer(new Request(url, { method: 'DELETE', headers }))
    expect([gone.status, gone.body]).toEqual([204, null])
  })

  test("the guard's error for HEAD", async () => {
    const refusal = await guard(new Request(root, { method: 'HEAD' })).catch((error) => error)
    expect(refusal).toBeInstanceOf(Response)
    expect([refusal.status, refusal.body]).toEqual([401, null])
  })
})

test('a host may add header fields to an answer', async () => {
  const response = await answer(new Request(root))
  response.headers.append('set-cookie', 'a=1')
  response.headers.append('set-cookie', 'b=2')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

describe('a body', () => {
  const encoder = new TextEncoder()

  test('that comes in pieces is put together', async () => {
    const pieces = JSON.stringify(person()).match(/.{1,5}/g) ?? []
    const body = ReadableStream.from(pieces.map((piece) => encoder.encode(piece)))
    expect((await answer(post(body))).status).toBe(201)
  })

  test('that is too large is answered before it ends', async () => {
    let wasEnded = false
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* send(): AsyncGenerator<Uint8Array> {
      for (let kilobytes = 0; kilobytes < 65; kilobytes++) yield new Uint8Array(1024)
      await released
      wasEnded = true
    }
    const response = await answer(post(ReadableStream.from(send())))
    expect([response.status, wasEnded]).toEqual([413, false])
    release()
  })

  test('that breaks off is malformed', async () => {
    async function* send(): AsyncGenerator<Uint8Array> {
      yield encoder.encode('{"name":')
      throw new Error('The caller is gone.')
    }
    const response = await answer(post(ReadableStream.from(send())))
    expect(await response.json()).toMatchObject({ status: 400, code: 'malformed_json' })
  })

  const wasRead = {
    code: 'configuration_invalid',
    message: expect.stringContaining('read a clone of it, request.clone()'),
  }

  test('that was read before is named in the problem, and nothing is written', async () => {
    const given = person()
    const request = post(JSON.stringify(given))
    await request.json()
    await expect(handler(request)).rejects.toMatchObject(wasRead)
    expect((await clientele.users.list(account.id, { email: given.email })).total).toBe(0)
  })

  test('that was partly read before is named, too', async () => {
    const request = post(JSON.stringify(person()))
    request.body?.getReader()
    await expect(handler(request)).rejects.toMatchObject(wasRead)
  })

  test('that was read before is ignored by a route without a body', async () => {
    const { user } = await clientele.users.create(account.id, person())
    const request = new Request(`${root}/${user.id}/deactivate`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    await request.text()
    expect((await answer(request)).status).toBe(200)
  })

  test('whose clone was read can still be read', async () => {
    const request = post(JSON.stringify(person()))
    await request.clone().json()
    expect((await answer(request)).status).toBe(201)
  })
})

// Without it the answer comes after 25 seconds, which is longer than a test may take.
describe('a caller who goes away ends the waiting', () => {
  test.each(['/client/event', '/client/user/auth/revocation'])('%s', async (path) => {
    const url = `https://api.example.com/api/v1${path}`
    const read = async (query: string, signal: AbortSignal | null = null) => {
      const response = await answer(new Request(`${url}${query}`, { headers, signal }))
      return (await response.json()) as { data: unknown[]; next_cursor: string; code?: string } // as the contract has it
    }
    const { next_cursor: end } = await read('?limit=1000')
    const gone = new AbortController()
    const waiting = read(`?after=${end}&wait=25`, gone.signal)
    await sleep(50)
    gone.abort()
    expect((await waiting).data).toEqual([])
    // Who has gone before is read nothing.
    expect((await read(`?after=${end}&wait=25`, AbortSignal.abort())).code).toBe('overloaded')
  })
})

describe('the guard', () => {
  const me = (...lines: string[]) => {
    const request = new Request('https://api.example.com/me')
    for (const line of lines) request.headers.append('authorization', line)
    return request
  }
  const refusalOf = async (request: Request) => {
    const refusal: unknown = await guard(request).catch((error: unknown) => error)
    if (!(refusal instanceof Response)) throw new Error('It let the request pass.')
    return (await refusal.json()) as { status: number; code: string } // problem details
  }

  test('answers with the user, the id and the claims', async () => {
    const { user } = await clientele.users.create(account.id, person())
    const { token } = await logIn(clientele, account.id, { email: user.email, password })
    const found = await guard(me(`Bearer ${token}`))
    expect(found).toEqual({
      userId: user.id,
      user,
      claims: expect.objectContaining({ sub: user.id, aud: account.id }),
    })
    const twice = { status: 400, code: 'header_repeated' }
    for (const second of [`Bearer ${token}`, 'Bearer x', 'x'])
      expect(await refusalOf(me(`Bearer ${token}`, second))).toMatchObject(twice)
  })

  test('throws a response of its own for each request', async () => {
    expect(await refusalOf(me())).toMatchObject({ status: 401, code: 'token_missing' })
    expect(await refusalOf(me('Bearer x'))).toMatchObject({ status: 401, code: 'token_malformed' })
  })
})
