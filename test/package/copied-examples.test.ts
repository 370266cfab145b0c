import { execFile, spawn } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { findFreePort } from '../support/find-free-port.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { root } from './source-files.ts'

const run = promisify(execFile)
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const folders = globSync('examples/*/package.json', { cwd: root }).map((file) =>
  dirname(join(root, file)),
)
const { catalog }: { catalog: Record<string, string> } = parse(
  readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'),
)

test('there are examples', () => {
  expect(folders.length).toBeGreaterThan(5)
})

test.each(folders)('%s names versions that are tried here, and no file outside', (folder) => {
  const { dependencies, devDependencies } = readManifest(folder)
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    const own = join(root, 'packages', name.replace('@clientele/', ''), 'package.json')
    const version = name.startsWith('@clientele/')
      ? `^${JSON.parse(readFileSync(own, 'utf8')).version}`
      : (catalog[name] ?? range)
    expect([name, range]).toEqual([name, version])
    expect(range).toMatch(/^[~^]\d/)
  }
  const sources = globSync('{tsconfig.json,src/**/*.ts,*.ts}', { cwd: folder })
  expect(sources.length).toBeGreaterThan(1)
  for (const file of sources)
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/"extends"|'(\.\.\/)+packages/)
})

// The others differ from these in what is tried above.
const started = ['express-app', 'nest-app', 'passkeys', 'sign-in']
let packed: string
let apps: string

if (runsEveryTest) {
  beforeAll(async () => {
    packed = await mkdtemp(join(tmpdir(), 'clientele-packed-'))
    apps = await mkdtemp(join(tmpdir(), 'clientele-copied-'))
    const pack = ['run.mjs', 'pnpm', '--filter', './packages/*', 'pack', '--pack-destination']
    await run(process.execPath, [...pack, packed], { cwd: root })
  })
  afterAll(async () => {
    await rm(packed, { recursive: true, force: true })
    await rm(apps, { recursive: true, force: true })
  })
}

/** Our packages come from where they are packed: they are not published yet. */
async function useTarballs(app: string): Promise<void> {
  const manifest = readManifest(app)
  const files = await readdir(packed)
  for (const name of Object.keys(manifest.dependencies)) {
    if (!name.startsWith('@clientele/')) continue
    const file = files.find((each) => each.startsWith(name.replace('@clientele/', 'clientele-')))
    manifest.dependencies[name] = `file:${join(packed, file ?? 'none')}`
  }
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
}

async function installAndStart(app: string): Promise<void> {
  await useTarballs(app)
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', ['install', ...quiet], { cwd: app })
  const env = { ...process.env, PORT: String(await findFreePort()) }
  const child = spawn('npm', ['start'], { cwd: app, env, detached: true, stdio: 'pipe' })
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (/Listening on /.test(output)) resolve()
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', () => reject(new Error(output)))
  })
  const { port } = new URL(/Listening on (\S+)/.exec(output)?.[1] ?? '')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBeLessThan(500)
}

test.runIf(runsEveryTest).each(started)(
  '%s starts where it is copied to, with npm',
  async (name) => {
    const app = join(apps, name)
    const filter = (path: string) => !['node_modules', 'dist', 'data'].includes(basename(path))
    cpSync(join(root, 'examples', name), app, { recursive: true, filter })
    await installAndStart(app)
  },
)

test.runIf(runsEveryTest)('an app of create-clientele starts with npm', async () => {
  const command = join(root, 'packages/create-clientele/dist/create-clientele.js')
  await run(process.execPath, [command, 'created', '--yes', '--framework', 'hono'], { cwd: apps })
  await installAndStart(join(apps, 'created'))
})
