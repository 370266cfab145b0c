import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { runsEveryTest } from '../support/slow-tests.ts'
import { root } from './source-files.ts'

const example = join(root, 'examples/nest-app')

// As its `start` does it: decorators are nothing that Node could leave out. Its types are checked where declarations are.
beforeAll(() => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const unchecked = runsEveryTest ? [] : ['--noCheck']
  execFileSync(process.execPath, [tsc, '-p', example, ...unchecked], { stdio: 'inherit' })
}, 120_000)

test('the blocks of the guide are the files of the example', () => {
  const guide = readFileSync(join(root, 'packages/core/guides/nestjs.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```typescript\n\/\/ (\S+)\n(.*?)^```$/gms)]
  expect(blocks).toHaveLength(5)
  for (const [, file = '', text] of blocks)
    expect(text).toBe(readFileSync(join(example, file), 'utf8'))
})

test.each(['on-express', 'on-fastify'])('the NestJS example answers %s', async (name) => {
  const cwd = mkdtempSync(join(tmpdir(), 'clientele-nest-'))
  const child = spawn(process.execPath, [join(example, `dist/${name}.js`)], {
    cwd,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(cwd, { recursive: true })
  })
  let [key, origin] = ['', '']
  for await (const line of createInterface({ input: child.stdout })) {
    key = /^API key: (.+)$/.exec(line)?.[1] ?? key
    origin = /^Listening on (.+)$/.exec(line)?.[1] ?? origin
    if (origin !== '') break
  }
  const post = async (path: string, body: string) => {
    const response = await fetch(`${origin}/api/v1/client/user${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> } // an object
  }
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  const created = await post('', JSON.stringify({ name: 'Ada Lovelace', ...credentials }))
  expect(created.status).toBe(201)
  expect(await post('', '{')).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  const { body } = await post('/auth/login', JSON.stringify(credentials))
  const { token } = body.data as { token: string } // as the contract has it
  const me = await fetch(`${origin}/me`, { headers: { authorization: `Bearer ${token}` } })
  expect([me.status, await me.json()]).toEqual([200, created.body])
  const refused = await fetch(`${origin}/me`)
  expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  expect([refused.status, await refused.json()]).toEqual([
    401,
    expect.objectContaining({ code: 'token_missing' }),
  ])
  expect((await fetch(`${origin}/nothing`)).status).toBe(404)

  // It ends although somebody waits for events, who is answered.
  const headers = { authorization: `Bearer ${key}` }
  const feed = `${origin}/api/v1/client/event?limit=1000`
  const { next_cursor: after } = (await (await fetch(feed, { headers })).json()) as {
    next_cursor: string // as the contract has it
  }
  const waiting = fetch(`${feed}&wait=25&after=${encodeURIComponent(after)}`, { headers })
  await sleep(500)
  const ended = once(child, 'exit').then(() => 'ended')
  child.kill()
  expect(await Promise.race([ended, sleep(15_000, 'late')])).toBe('ended')
  expect((await waiting).status).toBe(200)
})
