import { clienteleHandler } from '@clientele/fetch'
import { expect, test } from 'vitest'
import { Clock, createTenant, openClientele } from './support/world.ts'

test('an account has at most 2,000 requests in progress, and others have theirs', async () => {
  const clientele = await openClientele('sqlite::memory:', new Clock())
  const handler = clienteleHandler(clientele)
  const [{ key }, { key: other }] = [await createTenant(clientele), await createTenant(clientele)]
  const ask = async (apiKey: string, request: RequestInit = {}) => {
    const headers = { ...request.headers, authorization: `Bearer ${apiKey}` }
    return handler(new Request('https://api.example.com/client/user', { ...request, headers }))
  }
  const bodies: ReadableStreamDefaultController[] = []
  const begin = () =>
    ask(key, {
      method: 'POST',
      body: new ReadableStream({ start: (body) => void bodies.push(body) }),
      headers: { 'content-type': 'application/json', 'content-length': '100' },
      duplex: 'half',
    })
  const begun = Array.from({ length: 2_000 }, begin)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const refused = await ask(key)
  expect([refused?.status, await refused?.json()]).toMatchObject([503, { code: 'overloaded' }])
  expect((await ask(other))?.status).toBe(200)
  for (const body of bodies) body.error(new Error('gone'))
  await Promise.allSettled(begun)
  expect((await ask(key))?.status).toBe(200)
  await clientele.close()
})
