import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './source-files.ts'

const run = promisify(execFile)
const packages = ['core', 'express', 'fastify', 'koa'] as const

const head = (name: string) => `
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { clienteleRoutes, requireUser } from '@clientele/${name}'
const clientele = await createClientele({ repository: sqlite({ filename: 'users.sqlite' }) })
const account = await clientele.accounts.create({ name: 'Acme' })
const { api_key } = await clientele.apiKeys.create(account.id)
const port = Number(process.env.PORT)
`
const tail = `console.log(JSON.stringify({ api_key }))\n`

/** What a user writes, and what they have to install for it. */
const apps = {
  express: {
    install: ['express@5', '@types/express@5'],
    source: `import express from 'express'
const app = express()
app.use('/api/v1', clienteleRoutes(clientele))
app.get('/me', requireUser(clientele), (req, res) => { res.json(req.clientUser) })
await new Promise((resolve) => app.listen(port, '127.0.0.1', () => resolve(undefined)))
`,
  },
  fastify: {
    install: ['fastify@5'],
    source: `import fastify from 'fastify'
const app = fastify()
await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
app.get('/me', { onRequest: requireUser(clientele) }, async (request) => request.clientUser)
await app.listen({ port, host: '127.0.0.1' })
`,
  },
  koa: {
    install: ['koa@3', '@types/koa@3'],
    source: `import Koa from 'koa'
const app = new Koa()
app.use(clienteleRoutes(clientele, { prefix: '/api/v1' }))
app.use(requireUser(clientele))
app.use((ctx) => { ctx.body = ctx.state.clientUser })
await new Promise((resolve) => app.listen(port, '127.0.0.1', () => resolve(undefined)))
`,
  },
}

let folder: string
let tarballs: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-packages-'))
  const packed = packages.map(async (name): Promise<[string, string]> => {
    const place = join(folder, `pack-${name}`)
    await mkdir(place)
    const pack = ['.run.mjs', 'pnpm', '--dir', `packages/${name}`, 'pack', '--pack-destination']
    await run(process.execPath, [...pack, place], { cwd: root })
    return [name, join(place, (await readdir(place))[0] ?? '')]
  })
  tarballs = Object.fromEntries(await Promise.all(packed))
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(Object.entries(apps))(
  'installed from their tarballs beside %s, the packages compile and serve',
  async (name, { install, source }) => {
    const project = join(folder, `with-${name}`)
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }')
    await writeFile(join(project, 'app.ts'), head(name) + source + tail)
    const ours = [tarballs.core ?? '', tarballs[name] ?? '']
    const npm = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    const others = ['better-sqlite3@13', '@types/better-sqlite3', '@types/node@22', ...install]
    await run('npm', [...npm, ...ours, ...others], { cwd: project })

    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024']
    const checks = ['--types', 'node', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const compiled = await run(process.execPath, [tsc, ...options, ...checks, 'app.ts'], {
      cwd: project,
    }).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe('')

    const port = await findFreePort()
    const server = spawn(process.execPath, ['app.ts'], {
      cwd: project,
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(server, 'exit')
    try {
      const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as string[]
      const { api_key } = JSON.parse(line ?? '') as { api_key: string }
      await expectToServe(`http://127.0.0.1:${port}`, api_key)
    } finally {
      server.kill()
      await exited
    }
  },
  180_000,
)

async function expectToServe(base: string, apiKey: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${base}/api/v1/client/user${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
  const created = await post('', person)
  expect(created).toMatchObject({ status: 201, body: { email: person.email } })
  expect(await post('', person)).toMatchObject({ status: 409, body: { code: 'email_taken' } })
  const signedIn = await post('/auth/login', person)
  expect(signedIn.status).toBe(200)
  const { token } = signedIn.body.data as { token: string } // as the contract has it
  const me = await fetch(`${base}/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(await me.json()).toEqual(created.body)
  expect((await fetch(`${base}/me`)).status).toBe(401)
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
