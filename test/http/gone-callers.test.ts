import { connect } from 'node:net'
import type { Clientele, HttpRequest } from '@clientele/core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTenant, openClientele, type Tenant } from './support/world.ts'
import { bare } from './targets/bare.ts'
import { express4Target, express5 } from './targets/express.ts'
import { fastify5 } from './targets/fastify.ts'
import { koa2, koa3 } from './targets/koa.ts'

let clientele: Clientele
let tenant: Tenant
beforeAll(async () => {
  clientele = await openClientele('sqlite::memory:')
  tenant = await createTenant(clientele)
})
afterAll(() => clientele.close())

test.each([bare, express5, express4Target, fastify5, koa3, koa2].map((each) => [each.name, each]))(
  'on %s a request whose caller leaves stops to wait',
  async (_, target) => {
    const seen: { request: HttpRequest; isAnswered: boolean }[] = []
    const { handle } = clientele
    const spy = vi.spyOn(clientele, 'handle').mockImplementation(async (request) => {
      const one = { request, isAnswered: false }
      seen.push(one)
      const response = await handle.call(clientele, request)
      one.isAnswered = true
      return response
    })
    onTestFinished(() => spy.mockRestore())
    const { origin, prefix, close } = await target.start(clientele, 'prefix')
    onTestFinished(close)
    const path = `${prefix}/client/user/auth/revocation`
    const headers = { authorization: `Bearer ${tenant.key}` }
    const first = await fetch(`${origin}${path}`, { headers })
    expect(first.status).toBe(200)
    const { next_cursor } = (await first.json()) as { next_cursor: string } // as the contract has it
    await expect.poll(() => seen[0]?.request.isGone?.()).toBe(true)
    seen.length = 0
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET ${path}?after=${next_cursor}&wait=25 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.key}\r\n\r\n`,
    )
    await expect.poll(() => seen[0]?.request.isGone?.()).toBe(false)
    socket.destroy()
    await expect.poll(() => seen[0]?.isAnswered, { timeout: 15_000 }).toBe(true)
    expect(seen[0]?.request.isGone?.()).toBe(true)
  },
)
