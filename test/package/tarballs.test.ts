import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createClient, dataOf } from '@clientele/client'
import { clienteleListener } from '@clientele/core/node'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { logIn } from '../support/log-in.ts'
import { root } from './source-files.ts'

const run = promisify(execFile)
// A busy machine starts the programs slowly.
vi.setConfig({ testTimeout: 60_000 })

const hosts = ['express', 'fastify', 'fetch', 'koa'] as const
const packages = ['core', 'client', 'validator', ...hosts] as const

/** What a README tells a newcomer to install and to write. */
function readStart(name: string): { installs: string[][]; source: string } {
  const text = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  const commands = /^```sh\n(.*?)^```$/ms.exec(text)?.[1] ?? ''
  const installs = commands.split('\n').flatMap((line) => {
    const [, words] = /^npm install ([^#]+)/.exec(line) ?? []
    return words === undefined ? [] : [words.trim().split(/\s+/)]
  })
  return { installs, source: /^```ts\n(.*?)^```$/ms.exec(text)?.[1] ?? '' }
}

/** The versions that the workspace is tested with. */
const catalog = new Map(
  [
    ...readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').matchAll(
      /^ {2}"?([^\s":]+)"?: (\S+)$/gm,
    ),
  ]
    .toReversed()
    .map(([, name = '', range = '']) => [name, range]),
)

let folder: string
let tarballs: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-packages-'))
  const filters = packages.flatMap((name) => ['--filter', `./packages/${name}`])
  const pack = ['run.mjs', 'pnpm', ...filters, 'pack', '--pack-destination', folder]
  await run(process.execPath, pack, { cwd: root })
  const files = await readdir(folder)
  tarballs = Object.fromEntries(
    packages.map((name) => {
      const file = files.find((each) => each.startsWith(`clientele-${name}-`))
      return [name, join(folder, file ?? 'none')]
    }),
  )
  await Promise.all(packages.map(followReadme))
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Does what the README says, in an empty folder. */
async function followReadme(name: string): Promise<void> {
  const project = folderOf(name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const { installs, source } = readStart(name)
  // The client and the validator need no driver.
  expect(installs.length).toBe(['client', 'validator'].includes(name) ? 1 : 2)
  // Theirs would be the one that the workspace has, and is the largest of all.
  const words = installs.flat().filter((word) => word !== 'typescript' && !word.startsWith('--'))
  const exact = words.map((word) => {
    const tarball = tarballs[word.replace('@clientele/', '')]
    if (word.startsWith('@clientele/')) return tarball ?? 'none'
    return catalog.has(word) ? `${word}@${catalog.get(word)}` : word
  })
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...exact], { cwd: project })

  await writeFile(join(project, 'app.ts'), source)
}

const folderOf = (name: string): string => join(folder, `with-${name}`)

/** Compiles all of them as strictly as TypeScript can: each finds what is installed in its own folder only. */
async function compileAll(): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ module: 'nodenext', target: 'es2024' },
  }
  const include = packages.map((name) => `with-${name}/*.ts`)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = await run(process.execPath, [tsc], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return compiled.stdout
}

test("the READMEs' examples compile", async () => {
  const postgres = `import { postgres } from '@clientele/core/postgres'
export const open = (connectionString: string) => postgres({ connectionString, schema: 'users' })
`
  await writeFile(join(folderOf('core'), 'postgres.ts'), postgres)
  expect(await compileAll()).toBe('')
}, 180_000)

test.each(packages)('CommonJS requires %s', async (name) => {
  const script = `console.log(Object.keys(require('@clientele/${name}')).length > 0)`
  const args = ['--input-type=commonjs', '--eval', script]
  expect((await run(process.execPath, args, { cwd: folderOf(name) })).stdout).toBe('true\n')
})

test('TypeScript compiles it as CommonJS, too, or names the setting that it needs', async () => {
  const cwd = folderOf('core')
  const source = `import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
export const opening = createClientele({ repository: sqlite({ filename: ':memory:' }) })
`
  await writeFile(join(cwd, 'common.cts'), source)
  const compile = async (...options: string[]): Promise<string> => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const usual = ['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', '--target', 'es2024']
    const args = [tsc, ...usual, ...options, 'common.cts']
    const ended = await run(process.execPath, args, { cwd }).catch((e: { stdout: string }) => e)
    return ended.stdout
  }
  expect(await compile('--module', 'nodenext')).toBe('')
  const node10 = ['--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']
  const told = await compile('--module', 'commonjs', ...node10)
  expect(told.match(/Consider updating to 'node16', 'nodenext', or 'bundler'/g)).toHaveLength(2)
}, 120_000)

test('core alone: the code of its README runs', async () => {
  const project = folderOf('core')
  const { stdout } = await run(process.execPath, ['app.ts'], { cwd: project })
  expect(stdout).toContain("email: 'ada@example.com'")
  const files = await readdir(join(project, 'node_modules/@clientele/core'))
  expect(files).toEqual(expect.arrayContaining(['ERRORS.md', 'LICENSE', 'README.md', 'dist']))
})

test('core: the testing kit runs, and finds no leak in a given route', async () => {
  const source = `import { createTestClientele, findTenantLeaks } from '@clientele/core/testing'
await using world = await createTestClientele()
const tenants = [await world.createTenant(), await world.createTenant()]
const fetch = async () => Response.json({ code: 'not_found' }, { status: 404 })
const routes = [{ method: 'DELETE', path: '/orders/{user_id}' }]
const { leaks, tried } = await findTenantLeaks({ tenants, routes, fetch })
console.log(leaks.length, tried)
`
  const cwd = folderOf('core')
  await writeFile(join(cwd, 'kit.ts'), source)
  expect((await run(process.execPath, ['kit.ts'], { cwd })).stdout).toBe('0 2\n')
})

test('the validator, with jose alone: the code of its README validates', async () => {
  const project = folderOf('validator')
  const installed = await readdir(join(project, 'node_modules'))
  expect(installed.filter((name) => !name.startsWith('.')).toSorted()).toEqual([
    '@clientele',
    'jose',
  ])
  const port = await findFreePort()
  const publicUrl = `http://127.0.0.1:${port}/api/v1`
  const clientele = await openClientele('sqlite::memory:', { publicUrl })
  const server = createHttpServer(clienteleListener(clientele, { prefix: '/api/v1' }))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  try {
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey } = await clientele.apiKeys.create(id, { scopes: ['tokens:validate'] })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials })
    const { token } = await logIn(clientele, id, credentials)
    const source = readStart('validator')
      .source.replace(/issuer: '[^']+'/, `issuer: '${publicUrl}/client/account/${id}'`)
      .replace('cu_live_…', apiKey)
      .replace('eyJ…', token)
    await writeFile(join(project, 'run.ts'), source)
    const { stdout } = await run(process.execPath, ['run.ts'], { cwd: project })
    expect(stdout).toContain(user.id)
  } finally {
    clientele.stopWaiting()
    server.close()
    await clientele.close()
  }
})

test.each(hosts)('beside %s: the code of its README serves', async (name) => {
  await serve(folderOf(name), 'app.ts', (base, { key = '' }) => expectToServe(base, key))
})

test('the program of the README of the repository makes an account, its key and its first user', async () => {
  const project = folderOf('express')
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const source = /^```ts\n(.*?)^```$/ms.exec(text)?.[1] ?? ''
  await writeFile(join(project, 'app.mjs'), source.replace('users.sqlite', 'first-user.sqlite'))
  await serve(project, 'app.mjs', async (base, { key = '', token = '' }) => {
    const me = await fetch(`${base}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await me.json()).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace' })
    const client = createClient({ baseUrl: `${base}/api/v1`, apiKey: key })
    expect(dataOf(await client.listUsers()).total).toBe(1)
  })
})

/** Starts a program until `use` is done with it; `told` is what the program prints before it listens. */
async function serve(
  cwd: string,
  file: string,
  use: (base: string, told: { key?: string; token?: string }) => Promise<void>,
): Promise<void> {
  const port = await findFreePort()
  const server = spawn(process.execPath, [file], {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  try {
    const told: { key?: string; token?: string } = {}
    for await (const line of createInterface({ input: server.stdout })) {
      const [, name, value = ''] = /^(API key|Token): (.+)$/.exec(line) ?? []
      if (name !== undefined) told[name === 'Token' ? 'token' : 'key'] = value
      if (line.startsWith('Listening on ')) break
    }
    await use(`http://127.0.0.1:${port}`, told)
  } finally {
    server.kill()
    await exited
  }
}

async function expectToServe(base: string, apiKey: string): Promise<void> {
  const client = createClient({ baseUrl: `${base}/api/v1`, apiKey })
  const credentials = { email: 'ada@example.com', password: 'analytical engine' }
  const person = { name: 'Ada', ...credentials }
  const created = await client.createUser(person)
  expect(created).toMatchObject({ response: { status: 201 }, data: { email: person.email } })
  expect((await client.createUser(person)).problem).toMatchObject({
    status: 409,
    code: 'email_taken',
  })
  const signedIn = dataOf(await client.logIn(credentials))
  if (signedIn.success_code !== 200) throw new Error('A second factor was asked for.')
  const authorization = `Bearer ${signedIn.data.token}`
  const me = await fetch(`${base}/me`, { headers: { authorization } })
  expect(await me.json()).toEqual(created.data)
  expect((await fetch(`${base}/me`)).status).toBe(401)
  expect(await runClient(base, apiKey)).toBe('There is such a user already.\n')
  dataOf(await client.deleteUser(created.data?.id ?? ''))
  expect(await runClient(base, apiKey)).toMatch(/^[0-9a-f-]{36}\n$/)
}

/** Runs what the README of the client says, and returns what it prints. */
async function runClient(base: string, apiKey: string): Promise<string> {
  const { source } = readStart('client')
  const program = source.replace('http://127.0.0.1:3000', base)
  expect(program).toContain(base)
  const project = folderOf('client')
  const file = `app-${new URL(base).port}.ts`
  await writeFile(join(project, file), program)
  const env = { ...process.env, API_KEY: apiKey }
  const { stdout } = await run(process.execPath, [file], { cwd: project, env })
  return stdout
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
