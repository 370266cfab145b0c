import { type Clientele, toWire } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { createTenant, openClientele } from './support/world.ts'

test('a user is converted to the wire format: every field, in order', () => {
  const written = toWire({
    id: '019a0000-0000-7000-8000-000000000001',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    roles: ['isAdmin'],
    metadata: { isPaying: true, 'first seen': null, nested: { dueDate: '2026-01-01' } },
    isActive: false,
    createdAt: new Date('2026-05-05T23:41:45.619Z'),
    updatedAt: new Date(0),
  })
  expect(JSON.stringify(written)).toBe(
    JSON.stringify({
      id: '019a0000-0000-7000-8000-000000000001',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      roles: ['isAdmin'],
      metadata: { isPaying: true, 'first seen': null, nested: { dueDate: '2026-01-01' } },
      is_active: false,
      created_at: '2026-05-05T23:41:45.619Z',
      updated_at: '1970-01-01T00:00:00.000Z',
    }),
  )
})

test('undefined stays undefined', () => {
  expect(toWire(undefined)).toBeUndefined()
  expect(toWire({ lastUsedAt: null, expiresAt: undefined })).toEqual({ last_used_at: null })
})

describe.each(databases)('$name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  test('toWire gives the same bytes as GET, for one user and for several', async () => {
    const { account, key } = await createTenant(clientele)
    const get = async (url: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const rawHeaders = Object.entries(headers).flat()
      const body = new Blob([]).stream()
      const request = { method: 'GET', url, mountPath: '', headers, rawHeaders, body }
      return (await clientele.handle(request))?.body
    }
    const plain = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
    const full = {
      ...plain,
      name: 'Zoë "Q" \\ 李',
      email: 'zoe@example.com',
      roles: ['is_admin', 'isOwner'],
      metadata: { '10': 1, '9': 2, camelCase: { deepKey: [null, '2026-05-05'] } },
      isActive: false,
    }
    for (const input of [plain, full]) {
      const { user } = await clientele.users.create(account.id, input)
      expect(JSON.stringify(toWire(user))).toBe(await get(`/client/user/${user.id}`))
    }
    const list = await clientele.users.list(account.id)
    const listed = JSON.parse(String(await get('/client/user')))
    expect(list.data.map(toWire)).toEqual(listed.data)
  })
})
