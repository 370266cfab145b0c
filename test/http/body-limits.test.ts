import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { clienteleRoutes } from '@clientele/express'
import express from 'express'
import express4 from 'express4'
import { expect, onTestFinished, test } from 'vitest'
import { createTenant, openClientele } from './support/world.ts'
import { listen } from './targets/target.ts'

test.each([
  { name: 'express 5', framework: express },
  { name: 'express 4', framework: express4 },
])('$name: the error of a host’s body parser does not name our limit', async (given) => {
  const clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const { key } = await createTenant(clientele)
  const app = given.framework()
  app.use(given.framework.json()) // up to 100 KiB
  app.use(clienteleRoutes(clientele))
  const host = await listen(createServer(app), 'root')
  onTestFinished(() => host.close())
  // The route takes 256 KiB.
  const refuse = async (kibibytes: number): Promise<unknown> => {
    const response = await fetch(`${host.origin}/client/user/auth/validation-tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tokens: ['x'.repeat(kibibytes * 1024)] }),
    })
    expect(response.status).toBe(413)
    return response.json()
  }
  expect(await refuse(150)).toMatchObject({
    code: 'body_too_large',
    detail: 'The body parser before the routes refuses a body of this size.',
  })
  expect(await refuse(256)).toMatchObject({
    code: 'body_too_large',
    detail: 'The body is larger than 256 KiB.',
  })
})

test('a form has at most 2,500 fields, which are counted before it is parsed', async () => {
  const clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const { key } = await createTenant(clientele)
  const send = async (fields: number, parsedBody?: unknown): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const response = await clientele.handle({
      ...{ method: 'POST', url: '/client/user/auth/introspect', mountPath: '', headers },
      rawHeaders: Object.entries(headers).flat(),
      body: Readable.from([Buffer.from(`token=x${'&a='.repeat(fields - 1)}`)]),
      parsedBody,
    })
    return JSON.parse(response?.body ?? '')
  }
  const refusal = { code: 'body_too_large', detail: 'The form has more than 2500 fields.' }
  expect(await send(2_500)).toEqual({ active: false })
  expect(await send(2_501)).toMatchObject(refusal)
  expect(await send(1, { token: 'x', a: Array(2_500).fill('') })).toMatchObject(refusal)
  expect(await send(1, { token: 'x', a: Array(2_499).fill('') })).toEqual({ active: false })
})
