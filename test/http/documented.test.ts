import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { expect, test } from 'vitest'
import { expectDocumented } from './support/documented.ts'
import type { Reply } from './support/send.ts'

const user = {
  id: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
  email: 'jürgen@bücher.example',
  name: 'Jürgen',
  roles: [],
  metadata: {},
  is_active: true,
  created_at: '2026-05-05T23:41:45.619Z',
  updated_at: '2026-05-05T23:41:45.619Z',
}
const right: Reply = {
  status: 201,
  headers: { 'content-type': 'application/json', etag: '"1"', location: '/client/user/1' },
  body: JSON.stringify(user),
}
const refused: Reply = {
  status: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': 'soon' },
  body: '{"type":"urn:clientele:problem:overloaded","title":"x","status":503,"detail":"x","code":"overloaded"}',
}
const sent = { name: user.name, email: user.email, password: 'secret1' }

test('an answer that differs from the OpenAPI document is found', async () => {
  const clientele = await createClientele({
    repository: sqlite({ filename: ':memory:' }),
    secrets: ['a secret of at least thirty-two characters'],
  })
  const check = async (reply: Reply, body: object = sent, path = '/client/user') => {
    const asked = { method: 'POST', path, type: 'application/json', body: JSON.stringify(body) }
    const compared = expectDocumented(clientele, asked, reply, true)
    return compared.then(
      () => 'as documented',
      () => 'different',
    )
  }
  const withUser = (changes: object): Reply => ({
    ...right,
    body: JSON.stringify({ ...user, ...changes }),
  })
  const withHeaders = (headers: Record<string, string>): Reply => ({
    ...right,
    headers: { ...right.headers, ...headers },
  })
  try {
    expect(await check(right)).toBe('as documented')
    const different: Record<string, Promise<string>> = {
      'another member': check(withUser({ password_hash: 'x' })),
      'a member that is missing': check(withUser({ roles: undefined })),
      'a member of another type': check(withUser({ is_active: 1 })),
      'a time of another form': check(withUser({ created_at: 'today' })),
      'an address that is none': check(withUser({ email: 'jürgen' })),
      'another media type': check(withHeaders({ 'content-type': 'text/html' })),
      'a header field that is not documented': check(withHeaders({ 'x-powered-by': 'us' })),
      'a status that is not documented': check({ ...right, status: 207 }),
      'a header field of another form': check(refused),
      'a body where there is none': check(
        { ...right, status: 202 },
        {},
        '/client/user/auth/password/forgot',
      ),
      'a request that should have been refused': check(right, { ...sent, rolse: [] }),
    }
    for (const [name, outcome] of Object.entries(different))
      expect([name, await outcome]).toEqual([name, 'different'])
  } finally {
    await clientele.close()
  }
})
