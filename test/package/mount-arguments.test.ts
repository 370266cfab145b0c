import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import * as express from '@clientele/express'
import * as fastify from '@clientele/fastify'
import * as fetch from '@clientele/fetch'
import * as koa from '@clientele/koa'
import createFastify from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'

const opening = createClientele({ repository: sqlite({ filename: ':memory:' }) })
const clientele = await opening
afterAll(() => clientele.close())

const request = { method: 'GET', url: '/me', headers: {} }

describe.each([
  { name: 'express', adapter: express, mount: express.clienteleRoutes },
  { name: 'fastify', adapter: fastify, mount: fastify.clienteleRoutes },
  { name: 'fetch', adapter: fetch, mount: fetch.clienteleHandler },
  { name: 'koa', adapter: koa, mount: koa.clienteleRoutes },
])('a mistake shows when $name mounts', ({ name, adapter, mount }) => {
  const routes = (...values: unknown[]) => Reflect.apply(mount, undefined, values)
  const guard = (...values: unknown[]) => Reflect.apply(adapter.requireUser, undefined, values)

  const promised = new RegExp(`^${mount.name} was given a promise: await`)
  const needed = new RegExp(`^${mount.name} takes what createClientele resolves to`)
  const wrong: [title: string, call: () => unknown, message: RegExp][] = [
    ['a forgotten await', () => routes(opening), promised],
    ['no argument', () => routes(), needed],
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
    ['a validator that cannot validate', () => guard({ validate: 1 }), /^requireUser takes what/],
    [
      'a misspelt account, beside a validator',
      () => guard({ validate: () => {} }, { account: 'x' }),
      /^options\.account is not known/,
    ],
    [
      'a misspelt account',
      () => guard(clientele, { account: 'x' }),
      /^options\.account is not known/,
    ],
    [
      'a role that is no list',
      () => guard(clientele, { roles: 'admin' }),
      /^options\.roles must be /,
    ],
    ['no role at all', () => guard(clientele, { roles: [] }), /^options\.roles must /],
    [
      'roles, beside a validator',
      () => guard({ validate: async () => ({}) }, { roles: ['admin'] }),
      /^options\.roles needs a Clientele/,
    ],
    [
      'an account that is undefined, as a missing setting is',
      () => guard(clientele, { accountId: undefined }),
      /^options\.accountId is undefined: give it a value, or leave it out\.$/,
    ],
    [
      'a maximum age that is undefined, beside a validator',
      () => guard({ validate: async () => ({}) }, { maxAge: undefined }),
      /^options\.maxAge is undefined: /,
    ],
    [
      'a method that is in no amr',
      () => guard(clientele, { amr: ['totp'] }),
      /^options\.amr\.0 is not in the claim amr, which has otp for it\.$/,
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

  test('a prefix is an option of Koa and fetch alone', () => {
    const mountBelow = () => routes(clientele, { prefix: '/api/v1' })
    if (['fetch', 'koa'].includes(name)) expect(mountBelow).not.toThrow()
    else expect(mountBelow).toThrow(/^options.prefix belongs to the framework: app.register\(/)
  })
})

test('registering clienteleRoutes with Fastify without calling it is reported', () => {
  // As `app.register(clienteleRoutes)` calls them: an app can be awaited, and is no promise.
  const register = () => Reflect.apply(fastify.clienteleRoutes, undefined, [createFastify(), {}])
  expect(register).toThrow(/: write clienteleRoutes\(clientele\)\.$/)
})
