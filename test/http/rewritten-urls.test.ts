import { clienteleRoutes } from '@clientele/express'
import express from 'express'
import express4 from 'express4'
import { describe, expect, onTestFinished, test } from 'vitest'
import { send } from './support/send.ts'
import { serve } from './support/serve.ts'
import { createTenant, openClientele } from './support/world.ts'

describe.each([
  ['express 5', express],
  ['express 4', express4 as typeof express],
])('the routes in %s', (_, framework) => {
  async function start(rewrite: (url: string) => string, mountPath: string) {
    const clientele = await openClientele('sqlite::memory:')
    onTestFinished(() => clientele.close())
    const { key } = await createTenant(clientele)
    const app = framework()
    app.use((req, _res, next) => {
      req.url = rewrite(req.url)
      next()
    })
    app.use(mountPath, clienteleRoutes(clientele))
    app.use((_req, res) => void res.status(404).end('the host'))
    const { port } = await serve(app)
    const headers = ['authorization', `Bearer ${key}`]
    return (path: string) => send(`http://127.0.0.1:${port}`, { path, headers })
  }

  test.each(['/', '/api/v1'])(
    'below %s answer what the host has made of a URL',
    async (mountPath) => {
      const prefix = mountPath === '/' ? '' : mountPath
      const ask = await start(
        (url) =>
          url
            .replace(`${prefix}/people`, `${prefix}/client/user`)
            .replace('/client/user/export', '/nothing'),
        mountPath,
      )
      expect((await ask(`${prefix}/people?limit=1`)).status).toBe(200)
      expect((await ask(`${prefix}/client/user`)).status).toBe(200)
      expect((await ask(`${prefix}/client/user/export`)).body).toBe('the host')
    },
  )

  test('do not take a path with two slashes for one of theirs', async () => {
    const ask = await start((url) => url, '/api/v1')
    expect((await ask('/api/v1//client/user')).body).toBe('the host')
  })
})
