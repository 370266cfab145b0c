import { randomUUID } from 'node:crypto'
import {
  createTestClientele,
  findTenantLeaks,
  listClienteleRoutes,
  routesFromOpenApi,
  type TestedRoute,
} from '@clientele/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { olderMajors, targets } from '../http/targets/all.ts'
import { bare } from '../http/targets/bare.ts'
import { LogRecorder } from '../keys/open-clientele.ts'
import { runsEveryTest } from '../support/slow-tests.ts'

/**
 * What a tenant is told the core decides: by default it is tried alone, by `.ci/run` behind each framework.
 */
const current = runsEveryTest ? targets.filter((target) => !olderMajors.includes(target)) : [bare]

test.each(current)(
  'our own routes reveal nothing to another tenant: $name',
  { timeout: 120_000 },
  async (target) => {
    const { clientele, createTenant, close } = await createTestClientele({
      logger: new LogRecorder(),
    })
    onTestFinished(close)
    const started = await target.start(clientele, 'prefix')
    onTestFinished(started.close)
    const routes = await listClienteleRoutes(clientele, started.prefix)
    expect(routes).toHaveLength(clientele.operations.length)
    const me = { method: 'GET', path: '/me', headers: { authorization: 'Bearer {token}' } }
    const { leaks, tried, notTried } = await findTenantLeaks({
      baseUrl: started.origin,
      tenants: [await createTenant(), await createTenant()],
      routes: [...routes, me],
    })
    expect(leaks).toEqual([])
    expect(tried).toBeGreaterThan(100)
    // A route that names an object which createTenant does not make is to get one there.
    const reasons = new Set(notTried.map(({ why }) => why))
    expect([...reasons].toSorted()).toEqual(['it is public', 'it names no object'])
  },
)

interface Note {
  id: string
  owner: string
  text: string
}
type Answer = (request: Request, tenant: string, notes: Map<string, Note>) => Promise<Response>

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
const notFound = () => json(404, { code: 'not_found', at: randomUUID() })

/** An application with notes of two tenants; `answer` has its routes, some of which are wrong. */
async function probe(
  answer: Answer,
  routes: TestedRoute[],
  options: { ids?: [string, string]; own?: [object, object] } = {},
) {
  const [first, second] = options.ids ?? [randomUUID(), randomUUID()]
  const notes = new Map<string, Note>([
    [first, { id: first, owner: 'one', text: 'a first text' }],
    [second, { id: second, owner: 'two', text: 'another text' }],
  ])
  const tenants = [first, second].map((note_id, index) => ({
    apiKey: index === 0 ? 'one' : 'two',
    objects: { note_id, ...options.own?.[index] },
  }))
  return findTenantLeaks({
    fetch: (request) =>
      answer(request, request.headers.get('authorization')?.slice('Bearer '.length) ?? '', notes),
    tenants,
    routes,
  })
}

const read: TestedRoute = { method: 'GET', path: '/notes/{note_id}' }
const idOf = (request: Request): string => new URL(request.url).pathname.split('/')[2] ?? ''

/** What is right: of others' notes there is nothing. */
const right: Answer = async (request, tenant, notes) => {
  if (new URL(request.url).pathname === '/notes') {
    return json(200, { data: [...notes.values()].filter(({ owner }) => owner === tenant) })
  }
  const note = notes.get(idOf(request))
  if (note?.owner !== tenant) return notFound()
  if (request.method === 'DELETE') notes.delete(note.id)
  if (request.method === 'PATCH') note.text = 'changed'
  return json(200, note, { etag: `"${note.text}"` })
}

const list: TestedRoute = { method: 'GET', path: '/notes' }
const all: TestedRoute[] = [
  read,
  list,
  { method: 'PATCH', path: '/notes/{note_id}', body: { text: 'changed' } },
  { method: 'DELETE', path: '/notes/{note_id}' },
]

describe('findTenantLeaks', () => {
  test('finds no leaks in safe routes, even if all responses differ', async () => {
    const report = await probe(right, all)
    expect(report).toEqual({ leaks: [], tried: 8, notTried: [] })
  })

  test('finds 403 instead of 404', async () => {
    const { leaks } = await probe(
      async (request, tenant, notes) => {
        const note = notes.get(idOf(request))
        if (note !== undefined && note.owner !== tenant) return json(403, { code: 'forbidden' })
        return right(request, tenant, notes)
      },
      [read],
    )
    expect(leaks).toHaveLength(2)
    expect(leaks[0]).toMatchObject({
      ...{ method: 'GET', path: '/notes/{note_id}', object: 'note_id' },
      expected: { status: '404', 'body/code': '"not_found"' },
      got: { status: '403', 'body/code': '"forbidden"' },
    })
  })

  test("finds another's object, also by short ids", async () => {
    const open: Answer = async (request, _tenant, notes) => {
      const note = notes.get(idOf(request))
      return note === undefined ? notFound() : json(200, note)
    }
    for (const ids of [
      [randomUUID(), randomUUID()],
      ['1', '2'],
    ] as [string, string][]) {
      const { leaks } = await probe(open, [read], { ids })
      expect(leaks).toHaveLength(2)
      expect(leaks[0]?.got).toMatchObject({ status: '200', 'body/text': '"another text"' })
    }
  })

  test("finds another's objects in a list, also where only their text shows", async () => {
    const everything: Answer = async (_request, _tenant, notes) =>
      json(200, { total: 2, data: [...notes.values()].map(({ id }) => ({ id })) })
    for (const ids of [undefined, ['1', '2'] as [string, string]]) {
      const { leaks } = await probe(everything, [list], ids && { ids })
      expect(leaks.map(({ object, got }) => [object, Object.keys(got)])).toEqual([
        ['note_id', ['body/data/1/id']],
        ['note_id', ['body/data/0/id']],
      ])
    }
    const texts: Answer = async (_request, _tenant, notes) =>
      new Response([...notes.values()].map(({ text }) => `<li>${text}`).join('\n'))
    const own: [object, object] = [{ note_text: 'a first text' }, { note_text: 'another text' }]
    const { leaks } = await probe(texts, [list], { own })
    expect(leaks.map(({ object, got }) => [object, got])).toEqual([
      ['note_text', { 'body line 2': '<li>another text' }],
      ['note_text', { 'body line 1': '<li>a first text' }],
    ])
  })

  test('finds objects in a list named after them, in header fields and in URLs', async () => {
    const id = "%s's notes: ø"
    const ids: [string, string] = [id.replace('%s', 'one'), id.replace('%s', 'two')]
    const cookies = (text: string) => [`last=${text}`, 'seen=1'].map((one) => ['set-cookie', one])
    for (const [respond, given] of [
      [(all) => json(200, { note_ids: all.map(Number) }), ['1', '2']],
      [(all) => json(200, { latest: all })],
      [(all) => json(200, {}, { location: `/notes?either=${all.map(encodeURIComponent)}` })],
      [(all) => new Response('', { headers: cookies(encodeURIComponent(String(all))) })],
    ] as [respond: (all: string[]) => Response, given?: [string, string]][]) {
      const answer: Answer = async (_request, _tenant, notes) => respond([...notes.keys()])
      const { leaks } = await probe(answer, [list], { ids: given ?? ids })
      expect(leaks.map(({ object }) => object)).toEqual(['note_id', 'note_id'])
    }
  })

  test.each([
    ['Latin', 'Ada Lovelace', 'Grace Hopper'],
    ['Greek', 'Υπατία Αλεξανδρεία', 'Ἀσπασία Μιλησία'],
    ['Cyrillic', 'Валентина@example.com', 'Светлана@example.com'],
    ['Chinese', '北京市朝阳区建国路一号', '上海市浦东新区世纪大道'],
    ['Arabic digits', '٠١٢٣٤٥٦٧٨', '٨٧٦٥٤٣٢١٠'],
  ])('tries a value that does not exist for an object in %s', async (_name, ...texts) => {
    const seen = new Set<string>()
    const search: Answer = async (request) => {
      const text = new URL(request.url).searchParams.get('text') ?? ''
      seen.add(text)
      return json(200, { count: texts.includes(text) ? 1 : 0 })
    }
    const own: [object, object] = [{ note_text: texts[0] }, { note_text: texts[1] }]
    const { leaks, notTried } = await probe(search, [{ ...list, query: { text: '{note_text}' } }], {
      own,
    })
    expect(leaks.map(({ object }) => object)).toEqual(['note_text', 'note_text'])
    expect(notTried).toEqual([])
    const lengths = new Set([...seen].map((text) => text.length))
    expect(lengths).toEqual(new Set(texts.map((text) => text.length)))
  })

  test('lists a route that no value like the object can try', async () => {
    const { leaks, notTried } = await probe(right, [read], { ids: ['-'.repeat(8), '~'.repeat(8)] })
    expect(leaks).toEqual([])
    expect(notTried.map(({ why }) => why)).toEqual([
      'no value like note_id can be made up: pass one as absent.note_id',
    ])
  })

  test('lists a route that names only what is the same in all tenants', async () => {
    const own: [object, object] = [{ plan: 'basic' }, { plan: 'basic' }]
    const ofPlan = { ...list, query: { plan: '{plan}' } }
    const both = { ...read, query: { plan: '{plan}' } }
    const { tried, notTried } = await probe(right, [ofPlan, both], { own })
    expect(notTried).toEqual([
      { method: 'GET', path: '/notes', why: 'it names only what all tenants have: plan' },
    ])
    expect(tried).toBe(2)
  })

  test('finds a write that answers 404 but was done', async () => {
    const { leaks } = await probe(async (request, tenant, notes) => {
      if (request.method !== 'DELETE') return right(request, tenant, notes)
      notes.delete(idOf(request))
      return notFound()
    }, all)
    expect(leaks.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
    expect(leaks[0]).toMatchObject({
      expected: { 'GET /notes/{note_id} status': '200' },
      got: { 'GET /notes/{note_id} status': '404' },
    })
  })

  test('finds a difference in a header field or in a word of the body', async () => {
    for (const known of [
      (found: boolean) => json(404, {}, found ? { 'x-owner': 'yes' } : {}),
      (found: boolean) => json(404, { detail: found ? 'not yours' : 'not found' }),
      (found: boolean) => new Response(found ? '<p>Not yours' : '<p>Not found', { status: 404 }),
    ]) {
      const answer: Answer = async (request, tenant, notes) => {
        const note = notes.get(idOf(request))
        return note?.owner === tenant ? json(200, note) : known(note !== undefined)
      }
      expect((await probe(answer, [read])).leaks).toHaveLength(2)
    }
  })

  test('tries ids in queries and in bodies, each alone and all together', async () => {
    const seen: string[] = []
    const route = {
      method: 'POST',
      path: '/links',
      query: { to: '{note_id}' },
      body: { list: [{ folder: 'f-{folder_id}' }] },
    }
    const { leaks, tried } = await probe(
      async (request, tenant, notes) => {
        if (request.method === 'GET') return right(request, tenant, notes)
        const note = notes.get(new URL(request.url).searchParams.get('to') ?? '')
        const { list: folders } = (await request.json()) as { list: { folder: string }[] } // as the route says
        const folder = folders[0]?.folder ?? ''
        seen.push(folder)
        const isMine = note?.owner === tenant && folder === `f-folder-of-${tenant}`
        // Another tenant's folder is refused in other words than a missing one.
        return json(isMine ? 201 : 404, { known: /^f-folder-of-(one|two)$/.test(folder) })
      },
      [route, read],
      { own: [{ folder_id: 'folder-of-one' }, { folder_id: 'folder-of-two' }] },
    )
    expect(seen).toContain('f-folder-of-one')
    expect(leaks.map(({ object }) => object)).toEqual([
      ...['folder_id', 'note_id, folder_id'],
      ...['folder_id', 'note_id, folder_id'],
    ])
    expect(tried).toBe(8)
  })

  test('names the route and the server that does not answer', async () => {
    const tenants = ['one-note', 'other-note'].map((note_id) => ({ objects: { note_id } }))
    const routes = [{ method: 'GET', path: '/notes/{note_id}' }]
    const baseUrl = 'http://127.0.0.1:1'
    await expect(findTenantLeaks({ baseUrl, tenants, routes })).rejects.toThrow(
      'GET /notes/{note_id} has no answer of http://127.0.0.1:1: ',
    )
  })

  test('lists the routes that were not tried, and why', async () => {
    const routes: TestedRoute[] = [
      { method: 'GET', path: '/tags/{tag_id}' },
      { method: 'GET', path: '/mine', headers: { authorization: 'Bearer {session}' } },
      { method: 'POST', path: '/notes', body: { text: 'new' } },
      { method: 'GET', path: '/misspelt/{note_id}/x' },
      { method: 'GET', path: '/open/{note_id}', isPublic: true },
      { method: 'PUT', path: '/busy/{note_id}' },
    ]
    const { leaks, notTried } = await probe(
      async (request, tenant, notes) =>
        request.url.includes('busy') ? json(429, {}) : right(request, tenant, notes),
      routes.map((route) => ({ ...route, path: route.path.replace('/misspelt', '/nowhere/x') })),
    )
    expect(leaks).toEqual([])
    expect(notTried.map(({ method, path, why }) => `${method} ${path}: ${why}`)).toEqual([
      'GET /tags/{tag_id}: no object was given for tag_id',
      'GET /mine: no object was given for session',
      'POST /notes: it names no object',
      'GET /open/{note_id}: it is public',
      'GET /nowhere/x/{note_id}/x: the owner is answered with 404, too',
      'PUT /busy/{note_id}: objects that are not there are answered with 429, then 429',
    ])
  })

  test('refuses wrong options by name', async () => {
    const tenant = { objects: {} }
    const wrong = [
      [{ tenants: [tenant], routes: [read] }, 'options.tenants'],
      [{ tenants: [tenant, tenant], routes: [] }, 'options.routes'],
      [{ tenants: [tenant, { object: {} }], routes: [read] }, 'options.tenants.1.object '],
      [{ tenants: [tenant, tenant], routes: [{ ...read, url: '/' }] }, 'options.routes.0.url '],
      [{ tenants: [tenant, tenant], routes: [read], keys: [] }, 'options.keys '],
    ] as const
    for (const [options, name] of wrong) {
      const refused = findTenantLeaks(options as unknown as Parameters<typeof findTenantLeaks>[0]) // wrong on purpose
      await expect(refused).rejects.toThrow(name)
    }
  })
})

test('routes come from any OpenAPI document', () => {
  const example = { customer_id: 'x', quantity: 1 }
  const routes = routesFromOpenApi(
    {
      paths: {
        '/order-items/{id}': {
          parameters: [],
          get: { operationId: 'find', parameters: [{ in: 'query', name: 'customer_id' }] },
          put: { requestBody: { content: { 'application/json': { example } } } },
        },
        '/health': { get: { operationId: 'health', security: [] } },
        '/search': { post: { operationId: 'search' } },
      },
    },
    { prefix: '/v1', objects: ['customer_id'], changes: { search: { changes: false } } },
  )
  expect(routes).toMatchObject([
    {
      method: 'GET',
      path: '/v1/order-items/{order_item_id}',
      query: { customer_id: '{customer_id}' },
    },
    { method: 'PUT', body: { customer_id: '{customer_id}', quantity: 1 }, isPublic: false },
    { path: '/v1/health', isPublic: true },
    { path: '/v1/search', changes: false },
  ])
})
