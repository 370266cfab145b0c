import { createServer, request, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { newAda } from './cases/case.ts'
import { send } from './support/send.ts'
import { createTenant, openClientele } from './support/world.ts'
import { targets } from './targets/all.ts'
import { listen, type StartedTarget } from './targets/target.ts'

const outside = '/users%20api/v2'

/** A proxy that puts a server's mount path in the place of its own, and tells the server nothing of it. */
function createProxy(upstream: () => StartedTarget): Server {
  return createServer((req, res) => {
    const { origin, prefix } = upstream()
    const path = prefix + (req.url ?? '').slice(outside.length)
    const { method, headers } = req
    const passed = request(origin, { path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
}

describe.each(databases)('$name', (database) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await database.open()
  })
  afterAll(() => opened.close())

  test.each(targets)('$name: Location and Link lead through a proxy', async (target) => {
    let server: StartedTarget | undefined
    const proxy = await listen(
      createProxy(() => {
        if (server === undefined) throw new Error('The server has not started.')
        return server
      }),
      'root',
    )
    const publicUrl = `${proxy.origin}${outside}/`
    const clientele = await openClientele(opened.url, undefined, { publicUrl })
    server = await target.start(clientele, 'prefix')
    try {
      const { key } = await createTenant(clientele)
      const headers = ['authorization', `Bearer ${key}`]
      const create = async (email: string) =>
        send(proxy.origin, {
          method: 'POST',
          path: `${outside}/client/user`,
          headers: [...headers, 'content-type', 'application/json'],
          body: JSON.stringify({ ...newAda, email }),
        })
      const created = await create('ada@example.com')
      await create('eve@example.com')
      const { location = '' } = created.headers
      expect(location).toMatch(/^\/users%20api\/v2\/client\/user\/[0-9a-f-]{36}$/)
      const found = await send(proxy.origin, { path: location, headers })
      expect([found.status, found.body]).toEqual([200, created.body])

      const first = await send(proxy.origin, { path: `${outside}/client/user?limit=1`, headers })
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '') ?? []
      const second = await send(proxy.origin, { path: next, headers })
      expect(JSON.parse(second.body)).toMatchObject({
        page: 2,
        data: [{ email: 'eve@example.com' }],
      })
    } finally {
      await server.close()
      await clientele.close()
      await proxy.close()
    }
  })
})
