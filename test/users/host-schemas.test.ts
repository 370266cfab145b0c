import { Readable } from 'node:stream'
import { type Clientele, type ClienteleOptions, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { createTestClientele } from '@clientele/core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'

const metadata = z.object({
  plan: z.enum(['free', 'pro']),
  seats: z.int().min(1).default(1),
  tags: z.array(z.object({ name: z.string().trim() })).optional(),
})
const roles = z.enum(['admin', 'member'])
const ada = { name: 'Ada', email: 'ada@example.com', password: 'analytical' }
const pro = { plan: 'pro' }

async function* recordsOf(...values: object[]) {
  for (const [index, value] of values.entries()) yield { line: index + 1, value }
}

describe.each(anyDatabase)("a host's own schemas of metadata and roles, on $name", ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let accountId: string
  let apiKey: string
  let count = 0

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url, { metadata, roles })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    apiKey = (await clientele.apiKeys.create(accountId)).apiKey
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  const unused = () => ({ ...ada, email: `ada-${++count}@example.com` })
  async function create(): Promise<string> {
    const { user } = await clientele.users.create(accountId, { ...unused(), metadata: pro })
    return user.id
  }

  async function send(method: string, path: string, body: unknown) {
    const authorization = `Bearer ${apiKey}`
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await clientele.handle({
      ...{
        method,
        url: `/client/user${path}`,
        mountPath: '',
        headers,
        body: undefined,
        parsedBody: body,
      },
      rawHeaders: Object.entries(headers).flat(),
      body: Readable.from([]),
    })
    const { errors = [], ...rest } = JSON.parse(String(answer?.body))
    const found = errors.map((error: { pointer: string; code: string }) => [
      error.pointer,
      error.code,
    ])
    return { status: answer?.status, body: rest, errors: found }
  }

  test('their output is stored and returned', async () => {
    const tags = [{ name: ' a ' }]
    const sent = { ...unused(), roles: ['admin'], metadata: { plan: 'pro', tags } }
    const { status, body } = await send('POST', '', sent)
    expect(status).toBe(201)
    expect(body.metadata).toEqual({ plan: 'pro', tags: [{ name: 'a' }], seats: 1 })
    const read = await clientele.users.find(accountId, body.id)
    expect(read.user.metadata).toEqual(body.metadata)
    // Read, and sent back whole.
    const replaced = await send('PUT', `/${body.id}`, body)
    expect(replaced).toMatchObject({ status: 200, body: { metadata: body.metadata } })
  })

  test.each([
    ['a wrong value', { plan: 'gold' }, ['/metadata/plan', 'value']],
    ['a missing member', {}, ['/metadata/plan', 'required']],
    ['an unknown member', { ...pro, pian: 1 }, ['/metadata/pian', 'unrecognized']],
    [
      'an unknown member deep inside',
      { ...pro, tags: [{ name: 'a', nmae: 'b' }] },
      ['/metadata/tags/0/nmae', 'unrecognized'],
    ],
    ['a number too small', { ...pro, seats: 0 }, ['/metadata/seats', 'too_small']],
    ['no object', 'pro', ['/metadata', 'type']],
  ])('%s is refused by its pointer', async (_what, wrong, expected) => {
    const id = await create()
    const before = await clientele.users.find(accountId, id)
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${id}`],
    ] as const) {
      const { status, errors } = await send(method, path, { ...unused(), metadata: wrong })
      expect([method, status, errors]).toEqual([method, 422, [expected]])
    }
    expect(await clientele.users.find(accountId, id)).toEqual(before)
  })

  test('a missing member without a default is refused', async () => {
    const { status, errors } = await send('POST', '', unused())
    expect([status, errors]).toEqual([422, [['/metadata', 'required']]])
  })

  test('every role is checked', async () => {
    const sent = { ...unused(), metadata: pro, roles: ['admin', 'owner', 'root'] }
    const { errors } = await send('POST', '', sent)
    expect(errors).toEqual([
      ['/roles/1', 'value'],
      ['/roles/2', 'value'],
    ])
  })

  test('a patch is checked after it is merged', async () => {
    const id = await create()
    const seats = await send('PATCH', `/${id}`, { metadata: { seats: 3 } })
    expect(seats.body.metadata).toEqual({ plan: 'pro', seats: 3 })
    const wrong = await send('PATCH', `/${id}`, { metadata: { plan: null } })
    expect([wrong.status, wrong.errors]).toEqual([422, [['/metadata/plan', 'required']]])
    const role = await send('PATCH', `/${id}`, { roles: ['owner'] })
    expect(role.errors).toEqual([['/roles/0', 'value']])
    expect((await clientele.users.find(accountId, id)).user.metadata).toEqual(seats.body.metadata)
  })

  test('imported users are checked, too', async () => {
    const lines = recordsOf(
      { ...unused(), metadata: pro, roles: ['member'] },
      { ...unused(), metadata: { plan: 'gold' } },
      unused(),
      { ...unused(), metadata: pro, roles: ['owner'] },
    )
    const { imported, errors } = await clientele.users.import(accountId, lines, { onError: 'skip' })
    expect(imported).toBe(1)
    expect(errors).toMatchObject([
      { line: 2, message: expect.stringContaining('/metadata/plan') },
      { line: 3, message: '/metadata is required' },
      { line: 4, message: expect.stringContaining('/roles/0') },
    ])
  })

  test('existing users keep invalid values, and their other members can be changed', async () => {
    const before = await openClientele(database.url, {})
    const { user } = await before.users.create(accountId, { ...unused(), roles: ['old'] })
    await before.close()
    expect((await clientele.users.find(accountId, user.id)).user.metadata).toEqual({})
    const renamed = await send('PATCH', `/${user.id}`, { name: 'Ada King', is_active: false })
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Ada King', roles: ['old'] } })
    const role = await send('PATCH', `/${user.id}`, { roles: ['admin'] })
    expect(role).toMatchObject({ status: 200, body: { roles: ['admin'], metadata: {} } })
    const plan = await send('PATCH', `/${user.id}`, { metadata: pro })
    expect(plan).toMatchObject({ status: 200, body: { metadata: { plan: 'pro', seats: 1 } } })
  })

  test('the schemas are in the OpenAPI document', async () => {
    const { components } = await clientele.openApi()
    const { schemas } = components
    expect(schemas.UserRole).toMatchObject({ type: 'string', enum: ['admin', 'member'] })
    expect(schemas.UserMetadata).toMatchObject({
      properties: { plan: { enum: ['free', 'pro'] }, seats: { type: 'integer', minimum: 1 } },
      required: ['plan', 'seats'],
    })
    expect(schemas.UserMetadataInput).toMatchObject({ required: ['plan'] })
    const reference = { $ref: '#/components/schemas/UserMetadataInput' }
    expect(schemas.CreateUser).toMatchObject({ properties: { metadata: reference } })
    expect(schemas.CreateUser?.required).toContain('metadata')
    const patched = JSON.stringify(schemas.PatchUser)
    expect(patched).toContain('"items":{"$ref":"#/components/schemas/UserRole"}')
    expect(patched).toContain('which must then be a UserMetadata')
    expect(schemas.ClientUser).toMatchObject({
      properties: {
        metadata: { $ref: '#/components/schemas/UserMetadata' },
        roles: { items: { $ref: '#/components/schemas/UserRole' } },
      },
    })
  })
})

describe('missing members', () => {
  test("become the schema's output for an empty object", async () => {
    const plan = z.object({ plan: z.enum(['free', 'pro']).default('free') })
    const clientele = await openClientele('sqlite::memory:', { metadata: plan })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const { user } = await clientele.users.create(id, ada)
    expect(user.metadata).toEqual({ plan: 'free' })
    const { password: _, ...profile } = ada
    const replaced = await clientele.users.replace(id, user.id, profile)
    expect(replaced.user.metadata).toEqual({ plan: 'free' })
    await clientele.users.patch(id, user.id, { metadata: { plan: 'pro' } })
    const reset = await clientele.users.patch(id, user.id, { metadata: null })
    expect(reset.user.metadata).toEqual({ plan: 'free' })
    await clientele.close()
  })

  test('become the same if a schema refers to itself', async () => {
    const folder = z.object({
      name: z.string(),
      get folders() {
        return z.array(folder).optional()
      },
    })
    const clientele = await openClientele('sqlite::memory:', { metadata: folder.partial() })
    const { schemas } = (await clientele.openApi()).components
    const references = JSON.stringify(schemas).match(/"#\/components\/schemas\/UserMetadata[^"]+"/g)
    for (const reference of new Set(references)) {
      const steps = reference.slice(1, -1).split('/').slice(3)
      const target = steps.reduce<unknown>((part, step) => Reflect.get(Object(part), step), schemas)
      expect([reference, typeof target]).toEqual([reference, 'object'])
    }
    await clientele.close()
  })
})

test('a role that the schema would rewrite, and metadata that it makes too large, are bad input', async () => {
  const clientele = await openClientele('sqlite::memory:', {
    roles: z.string().toLowerCase(),
    metadata: z.looseObject({ a: z.string().default('a'), b: z.string().default('b') }),
  })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const own = { constructor: 1, toString: 2, x: 3, y: 4 }
  const issuesOf = (input: object) =>
    clientele.users.create(id, { ...ada, ...input }).catch(({ issues }) => issues)
  expect(await issuesOf({ roles: ['Admin'] })).toMatchObject([{ pointer: '/roles/0' }])
  expect(await issuesOf({ metadata: own })).toMatchObject([
    { pointer: '/metadata', code: 'too_many' },
  ])
  await clientele.close()
})

test('a check that throws refuses the value, and is no fault of ours', async () => {
  const clientele = await openClientele('sqlite::memory:', {
    metadata: z.object({
      site: z
        .string()
        .refine((text) => new URL(text))
        .optional(),
    }),
    roles: z.string().refine((role) => role === 'admin' || JSON.parse(role)),
  })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const create = clientele.users.create(id, {
    ...ada,
    metadata: { site: 'nope' },
    roles: ['admin', 'x'],
  })
  await expect(create).rejects.toMatchObject({
    code: 'validation_failed',
    issues: expect.arrayContaining([
      expect.objectContaining({ pointer: '/metadata' }),
      expect.objectContaining({ pointer: '/roles/1' }),
    ]),
  })
  await clientele.close()
})

test('an unknown member is found, whatever its name', async () => {
  const clientele = await openClientele('sqlite::memory:', { metadata: z.object({}) })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const create = clientele.users.create(id, { ...ada, metadata: { constructor: 'x' } })
  await expect(create).rejects.toMatchObject({ issues: [{ pointer: '/metadata/constructor' }] })
  await clientele.close()
})

test('the testing kit creates users with the metadata that a schema requires', async () => {
  const metadata = z.object({ plan: z.enum(['free', 'pro']) })
  await using world = await createTestClientele({ metadata })
  const { objects } = await world.createTenant({}, { metadata: { plan: 'pro' } })
  expect(objects.user_id).toBeTypeOf('string')
})

describe('an argument that is not such a schema is refused by name', () => {
  const openWith = (options: object) =>
    createClientele({
      repository: sqlite({ filename: ':memory:' }),
      ...options,
    } as ClienteleOptions) // it is wrong

  test.each([
    ['metadata', { metadata: { plan: 'text' } }, /options\.metadata must be a schema of zod 4\.2/],
    ['roles', { roles: ['admin'] }, /options\.roles must be a schema of zod 4\.2/],
    [
      'a schema without a form in JSON Schema',
      { metadata: z.object({ size: z.string().transform((text) => text.length) }) },
      /The schema of metadata has no form in JSON Schema.*Transforms/,
    ],
    [
      'a schema that changes a type',
      {
        metadata: z.object({
          size: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
        }),
      },
      /The schema of metadata changes the type of size/,
    ],
    [
      'a schema that makes what is no JSON',
      {
        metadata: z
          .object({})
          .default({})
          .overwrite(() => ({ at: new Date() }) as never),
      },
      /The schema of metadata returns a value that is not JSON/,
    ],
    [
      'a schema that answers later',
      { metadata: z.object({}).refine(async () => true) },
      /The schema of metadata has a check that answers with a promise/,
    ],
  ])('%s', async (_what, options, message) => {
    await expect(openWith(options)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(message),
    })
  })
})
