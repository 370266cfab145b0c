import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import * as express from '@clientele/express'
import * as fastify from '@clientele/fastify'
import * as koa from '@clientele/koa'
import { afterAll, describe, expect, test } from 'vitest'

const opening = createClientele({ repository: sqlite({ filename: ':memory:' }) })
const clientele = await opening
afterAll(() => clientele.close())

const request = { method: 'GET', url: '/me', headers: {} }

describe.each([
  { name: 'express', adapter: express },
  { name: 'fastify', adapter: fastify },
  { name: 'koa', adapter: koa },
])('a mistake shows when $name mounts', ({ name, adapter }) => {
  const routes = (...values: unknown[]) => Reflect.apply(adapter.clienteleRoutes, undefined, values)
  const guard = (...values: unknown[]) => Reflect.apply(adapter.requireUser, undefined, values)

  const wrong: [title: string, call: () => unknown, message: RegExp][] = [
    ['a forgotten await', () => routes(opening), /^clienteleRoutes was given a promise: await/],
    ['no argument', () => routes(), /^clienteleRoutes takes what createClientele resolves to/],
    [
      'an unknown option',
      () => routes(clientele, { path: '/' }),
      /^options\.path is not known here/,
    ],
    [
      'an address',
      () => routes(clientele, { clientAddress: '192.0.2.1' }),
      /^options\.clientAddress must be a function\.$/,
    ],
    ['a guard of a promise', () => guard(opening), /^requireUser was given a promise: await/],
    ['a guard that is not called', () => guard(request), /write requireUser\(clientele\)\.$/],
    [
      'a misspelt account',
      () => guard(clientele, { account: 'x' }),
      /^options\.account is not known/,
    ],
    [
      'an account that is no id',
      () => guard(clientele, { accountId: 'x' }),
      /^options\.accountId must be a UUID\.$/,
    ],
  ]
  test.each(wrong)('%s', (_title, call, message) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        message: expect.stringMatching(message),
      }),
    )
  })

  test('a prefix is an option of Koa alone', () => {
    const mount = () => routes(clientele, { prefix: '/api/v1' })
    if (name === 'koa') expect(mount).not.toThrow()
    else expect(mount).toThrow('options.prefix is not known here. Known are clientAddress.')
  })
})
