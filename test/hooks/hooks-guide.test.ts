import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type Clientele, createClientele, HookRefusal } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { createTestClientele } from '@clientele/core/testing'
import { requireUser } from '@clientele/express'
import express from 'express'
import { Webhook } from 'standardwebhooks'
import ts from 'typescript'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../client/listen.ts'
import { codeOf } from '../keys/open-clientele.ts'

const guide = new URL('../../packages/core/guides/hooks.md', import.meta.url)
// A block awaits at its top.
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

const text = await readFile(guide, 'utf8')
const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
const [
  first = '',
  domains = '',
  captcha = '',
  passOn = '',
  seats = '',
  roles = '',
  app = '',
  service = '',
  ...others
] = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) =>
  ts
    .transpileModule(block, { compilerOptions })
    .outputText.replaceAll(/^(?:import|export) .*$/gm, ''),
)

/** Runs a block with these names, and returns what it defines. */
function run(code: string, names: object, result: string) {
  return new AsyncFunction(...Object.keys(names), `${code}; return ${result}`)(
    ...Object.values(names),
  )
}

async function open(hooks: object) {
  const world = await createTestClientele({ hooks })
  onTestFinished(world.close)
  const { account } = await world.createAccount()
  return { ...world, accountId: account.id }
}

test('every block is tried', () => {
  expect(others).toEqual([])
})

test('the first block refuses other domains, and adds permissions', async () => {
  const inMemory = () => sqlite({ filename: ':memory:' })
  const clientele = await run(
    first,
    { createClientele, HookRefusal, sqlite: inMemory },
    'clientele',
  )
  onTestFinished(() => clientele.close())
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const ada = { name: 'Ada', password: 'password', roles: ['editor'] }
  const refused = clientele.users.create(id, { ...ada, email: 'ada@example.net' })
  expect(await codeOf(refused)).toBe('refused_by_hook')
  const email = 'ada@example.com'
  await clientele.users.create(id, { ...ada, email })
  const { token } = await clientele.auth.logIn(id, { email, password: ada.password })
  const { claims } = await clientele.auth.validateToken(id, token)
  expect(claims.permissions).toEqual(['write'])
})

test('only some domains: at a create, and at a change of the address', async () => {
  const hooks = await run(domains, { HookRefusal }, '{ beforeCreate, beforeUpdate }')
  const { createUser, clientele, accountId } = await open(hooks)
  const { user } = await createUser(accountId, { email: 'ada@example.org' })
  const refused = createUser(accountId, { email: 'ada@sub.example.org' })
  await expect(refused).rejects.toThrow('Addresses of sub.example.org cannot register here.')
  const patch = (input: object) => clientele.users.patch(accountId, user.id, input)
  expect(await codeOf(patch({ email: 'ada@example.net' }))).toBe('refused_by_hook')
  await patch({ name: 'Ada King' })
})

test('a CAPTCHA: the token reaches the hook, which asks who made it', async () => {
  const asked: string[] = []
  const provider = await listen(
    createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      asked.push(body)
      const success = new URLSearchParams(body).get('response') === 'solved'
      response.end(JSON.stringify({ success }))
    }),
  )
  onTestFinished(provider.close)
  const local = (_url: string, init: RequestInit) => fetch(provider.origin, init)
  const process = { env: { TURNSTILE_SECRET: 'the secret' } }
  const names = { HookRefusal, fetch: local, process }
  const { beforeSignIn } = await run(captcha, names, '{ beforeSignIn }')
  const { createUser, clientele, accountId } = await open({ beforeSignIn })
  const { user, password } = await createUser(accountId)
  const given = { clientele, accountId, email: user.email, password }
  const signedIn = await run(passOn, { ...given, token: 'solved' }, 'signedIn')
  expect(signedIn.user.id).toBe(user.id)
  expect(asked).toEqual(['secret=the+secret&response=solved&remoteip=192.0.2.7'])
  const refused = run(passOn, { ...given, token: 'guessed' }, 'signedIn')
  expect(await codeOf(refused)).toBe('refused_by_hook')
  const missing = clientele.auth.logIn(accountId, { email: user.email, password })
  expect(await codeOf(missing)).toBe('refused_by_hook')
})

test('seats of a plan: at a create, and at an activation', async () => {
  const late: { clientele?: Clientele } = {}
  // The Clientele is made after the hooks that it asks.
  const clienteleOfHooks = {
    accounts: { find: async (id: string) => late.clientele?.accounts.find(id) },
    users: { list: async (id: string, page: object) => late.clientele?.users.list(id, page) },
  }
  const hooks = await run(seats, { HookRefusal, clientele: clienteleOfHooks }, 'hooks')
  const { createUser, clientele, accountId } = await open(hooks)
  late.clientele = clientele
  const { user } = await createUser(accountId)
  await createUser(accountId)
  await expect(createUser(accountId)).rejects.toThrow('Every seat of your plan is taken')
  await clientele.users.deactivate(accountId, user.id)
  await createUser(accountId)
  expect(await codeOf(clientele.users.activate(accountId, user.id))).toBe('refused_by_hook')
})

test('permissions from roles: in the token, and read by a route', async () => {
  const hooks = await run(roles, {}, '{ tokenClaims }')
  const { createUser, clientele, accountId, tokenFor } = await open(hooks)
  const server = express()
  await run(app, { app: server, requireUser, clientele }, '0')
  const { origin, close } = await listen(createServer(server))
  onTestFinished(close)
  const post = async (role: string) => {
    const { user } = await createUser(accountId, { roles: [role] })
    const authorization = `Bearer ${await tokenFor(user)}`
    const answer = await fetch(`${origin}/articles`, { method: 'POST', headers: { authorization } })
    return answer.status
  }
  expect([await post('editor'), await post('reader'), await post('guest')]).toEqual([201, 403, 403])
})

test('a service: it verifies the signature, refuses and gives claims', async () => {
  const secret = `whsec_${Buffer.alloc(32, 's').toString('base64')}`
  const process = { env: { HOOK_SECRET: secret } }
  const handler = await run(service, { express, Webhook, process }, 'app')
  const { origin, close } = await listen(createServer(handler))
  onTestFinished(close)
  const { createUser, clientele, accountId } = await open({ url: `${origin}/hooks`, secret })
  const { user } = await createUser(accountId, { email: 'ada@example.com' })
  expect(await codeOf(createUser(accountId, { email: 'ada@example.net' }))).toBe('refused_by_hook')
  const call = { email: user.email, password: 'a password for tests' }
  const signedIn = await clientele.auth.logIn(accountId, call)
  if (!('token' in signedIn)) throw new Error('There is no second factor.')
  const { claims } = await clientele.auth.validateToken(accountId, signedIn.token)
  expect(claims).toMatchObject({ plan: 'free' })
  const unsigned = await fetch(`${origin}/hooks`, { method: 'POST', body: '{}' })
  expect(unsigned.status).toBe(401)
})
