import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClienteleError, type ErrorCode } from '@clientele/core'
import { clienteleErrors as answerInExpress } from '@clientele/express'
import { clienteleErrors as answerInFastify } from '@clientele/fastify'
import { clienteleErrors as answerInKoa } from '@clientele/koa'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, onTestFinished, test } from 'vitest'

const codes = ['credentials_invalid', 'user_not_found', 'overloaded', 'internal_error'] as const
const throws = (path: string | undefined) => {
  throw new ClienteleError(path?.slice(1) as ErrorCode) // each path of these tests is a code
}

/** Applications whose only route throws, with what `clienteleErrors` is given as. */
const frameworks: Record<string, (handler?: 'called' | 'uncalled') => Promise<string>> = {
  express: async (handler) => {
    const app = express()
    app.set('env', 'test')
    app.use(({ path }) => throws(path))
    if (handler === 'called') app.use(answerInExpress())
    return listen(app)
  },
  koa: async (handler) => {
    const app = new Koa()
    app.silent = true
    if (handler === 'called') app.use(answerInKoa())
    // @ts-expect-error it is to be called
    if (handler === 'uncalled') app.use(answerInKoa)
    app.use(({ path }) => throws(path))
    return listen(app.callback())
  },
  fastify: async (handler) => {
    const app = fastify()
    if (handler === 'called') app.setErrorHandler(answerInFastify())
    // @ts-expect-error it is to be called
    if (handler === 'uncalled') app.setErrorHandler(answerInFastify)
    app.get('/*', async ({ url }) => throws(url))
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
}

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener ?? (() => {}))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  return `http://127.0.0.1:${port}`
}

describe.each(Object.keys(frameworks))('an error of Clientele that reaches %s', (framework) => {
  test.each([undefined, 'called'] as const)('is answered with its status: %s', async (handler) => {
    const origin = await frameworks[framework]?.(handler)
    for (const code of codes) {
      const { status } = await fetch(`${origin}/${code}`)
      expect([code, status]).toEqual([code, new ClienteleError(code).status])
    }
  })
})

test.each(['koa', 'fastify'])(
  'clienteleErrors that is passed uncalled fails in %s',
  async (framework) => {
    const origin = await frameworks[framework]?.('uncalled')
    const { status } = await fetch(`${origin}/credentials_invalid`)
    expect(status).toBe(500)
  },
)

test.each([answerInExpress, answerInKoa, answerInFastify])('%s takes no arguments', (make) => {
  expect(() => Reflect.apply(make, undefined, [new Error('x'), {}, {}])).toThrow(
    'clienteleErrors takes no arguments: write clienteleErrors().',
  )
})
