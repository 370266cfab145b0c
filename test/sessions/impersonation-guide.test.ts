import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createTestClientele } from '@clientele/core/testing'
import { requireUser } from '@clientele/express'
import cookieParser from 'cookie-parser'
import express from 'express'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { listen } from '../client/listen.ts'

// A block awaits at its top.
const AsyncFunction = (async () => {}).constructor as FunctionConstructor
const guide = new URL('../../packages/core/guides/impersonation.md', import.meta.url)

async function readBlocks(): Promise<string[]> {
  const text = await readFile(guide, 'utf8')
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, block = '']) => ts.transpileModule(block, { compilerOptions }).outputText,
  )
}

test('the guide opens an impersonation, refuses it where only the user may act, and ends it', async () => {
  await using world = await createTestClientele()
  const { clientele } = world
  const { account } = await world.createAccount()
  const { user } = await world.createUser(account.id)
  const [open = '', actAs = '', payout = '', invoices = '', end = '', ...others] =
    await readBlocks()
  expect(others).toEqual([])
  const names = ['clientele', 'accountId', 'userId']
  const given = [clientele, account.id, user.id]
  const run = (code: string) => new AsyncFunction(...names, code)(...given)
  const { token, expiresIn } = await run(`${open}; return { token, expiresIn }`)
  expect(expiresIn).toBe(600)
  const app = express()
  app.use(express.urlencoded({ extended: false }), cookieParser())
  const findPerson = async () => ({ name: 'support@example.com', isStaff: true })
  const context = { app, clientele, requireUser, findPerson, accountId: account.id }
  new Function(...Object.keys(context), actAs + payout + invoices)(...Object.values(context))
  const server = await listen(createServer(app))
  const ask = async (method: string, path: string, bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}`, connection: 'close' }
    const response = await fetch(server.origin + path, { method, headers })
    return response.json()
  }
  const post = (path: string, cookie: string) => {
    const headers = { cookie, connection: 'close' }
    const body = new URLSearchParams({ reason: 'Ticket 4711' })
    return fetch(server.origin + path, { method: 'POST', headers, body, redirect: 'manual' })
  }
  const own = await world.tokenFor(user)
  try {
    expect(await ask('POST', '/payout', token)).toMatchObject({ code: 'impersonation_refused' })
    expect(await ask('POST', '/payout', own)).toEqual({ pays: user.id })
    const actsAsUser = 'support@example.com'
    expect(await ask('GET', '/invoices', token)).toEqual({ userId: user.id, actsAsUser })
    expect(await ask('GET', '/invoices', own)).toEqual({ userId: user.id, actsAsUser: null })
    const acted = await post(`/users/${user.id}/act-as`, 'refresh=of-support')
    const [refresh = '', kept = ''] = acted.headers.getSetCookie()
    expect(refresh).toMatch(/^refresh=;/)
    const [, acting = ''] = /^token=([^;]+);/.exec(kept) ?? []
    expect(await ask('GET', '/invoices', acting)).toEqual({ userId: user.id, actsAsUser })
    expect((await post('/stop-acting', `token=${acting}`)).status).toBe(303)
    expect(await ask('GET', '/invoices', acting)).toMatchObject({ code: 'token_revoked' })
    await run(end)
    expect(await ask('GET', '/invoices', token)).toMatchObject({ code: 'token_revoked' })
    expect(await ask('GET', '/invoices', own)).toMatchObject({ userId: user.id })
  } finally {
    await server.close()
  }
})
