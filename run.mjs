// Runs a task on a machine that has nothing but Node 20 and npm: node run.mjs <task> [arguments]
//
// It finds pnpm and a Node that is new enough, installs and builds what the task needs and is out of date, and hands over
// to the task. With pnpm 12 and Node 22.18 it can be done without: `pnpm install`, `pnpm build`, and what the tasks below
// run. Standard output belongs to the task; what is said here goes to standard error, and nothing is said where nothing
// had to be done.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [core, page, cli] = ['packages/core', 'packages/console', 'packages/cli']
const scim = 'packages/scim'
const adapters = ['express', 'fastify', 'fetch', 'koa'].map((name) => `packages/${name}`)
const all = [
  core,
  page,
  scim,
  cli,
  ...adapters,
  ...['validator', 'client', 'create-clientele'].map((name) => `packages/${name}`),
]
/** It is installed with what builds and runs it: neither what the tests need, nor the tools that check. */
const server = {
  install: 'clientele...',
  build: [core, page, scim, cli],
  script: `${cli}/dist/clientele.js`,
}
// The tests that read them, as test/support/slow-tests.ts has them: run where all are run, or what is named is in their names
const readDeclarations =
  process.env.EVERY_TEST === 'true' ||
  process.argv
    .slice(3)
    .some((name) => ['package/types', 'users/typed-users'].some((file) => file.includes(name)))
// What is installed (where nothing is said: all) and built first (types are for compilers and editors: programs start
// without), and what then runs.
const tasks = {
  start: { ...server, args: ['serve'] },
  clientele: server,
  screenshots: { build: all, types: true, script: 'test/browser/take-screenshots.ts' },
  // npm run example express-app
  example: {
    build: [core, ...adapters, 'packages/client'],
    run: ([name = '', ...rest]) => pnpm('--dir', inRoot('examples', name), 'start', ...rest),
  },
  bench: { build: all, script: 'test/bench/run.ts' },
  soak: { build: [core, page, scim, cli], script: 'test/soak/run.ts' },
  // Static files in packages/website/dist/site
  website: { build: [core, page, scim, cli], script: 'packages/website/src/build-site.ts' },
  promises: { build: all, script: 'test/promises/run.ts' },
  test: { build: all, types: readDeclarations, script: 'test/run.ts' },
  build: { build: all, types: true },
  exec: { run: ([name = '', ...rest]) => [inRoot('test/node_modules/.bin', name), ...rest] },
  pnpm: { run: (rest) => pnpm(...rest) },
}
const pnpm = (...rest) => [findPnpm(), ...rest]
const inRoot = (...names) => join(dirname(fileURLToPath(import.meta.url)), ...names)
const noteOf = (name) => inRoot('node_modules/.cache/run', name.replace('/', '-'))
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')
const hashOf = (text) => createHash('sha256').update(text).digest('hex')
const shell = process.platform === 'win32'

function runStep([program, ...rest], output = 2) {
  const options = { cwd: inRoot(), stdio: ['ignore', output, 2], encoding: 'utf8', shell }
  const { status, stdout } = spawnSync(program, rest, options)
  if (status !== 0) throw new Error(`This failed: ${program} ${rest.join(' ')}`)
  return stdout
}

/** Where npm keeps the pnpm 12 that it fetched. It is asked once: it takes a second to answer. */
function findPnpm() {
  const note = noteOf('pnpm')
  if (!existsSync(read(note))) {
    const print = ['npx', '--yes', '-p', 'pnpm@12', '--', 'node', '-p', 'process.env.PATH']
    const folders = runStep(print, 'pipe').trim().split(delimiter)
    const files = folders.map((folder) => join(folder, shell ? 'pnpm.cmd' : 'pnpm'))
    writeFileSync(note, files.find((file) => existsSync(file)) ?? '')
  }
  // A script of a package.json may call it.
  process.env.PATH = `${dirname(read(note))}${delimiter}${process.env.PATH}`
  return read(note)
}

/** Node 22.18 and newer take TypeScript as it is. */
function findNode() {
  if (process.features.typescript) return process.execPath
  if (!existsSync(read(noteOf('node')))) {
    console.error(`Fetching Node 24: this is Node ${process.versions.node}`)
    writeFileSync(noteOf('node'), runStep(pnpm(...newNode()), 'pipe'))
  }
  return read(noteOf('node'))
}

/** The package for this platform: the package `node` would run npm to fetch it, which takes four times as long. */
function newNode() {
  const { platform, arch } = process
  const packed = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${packed}-${platform === 'win32' ? 'win' : platform}-${arch}@24`
  return [`--package=${name}`, 'dlx', 'node', '-p', 'process.execPath']
}

/** pnpm keeps the lock file of what it installed last: of all, or of some packages and what they need. */
function isInstalled(some) {
  if (read(inRoot('node_modules/.pnpm/lock.yaml')) === read(inRoot('pnpm-lock.yaml'))) return true
  return some !== undefined && read(noteOf('installed')) === describeInstall(some)
}

function describeInstall(some) {
  const locks = ['pnpm-lock.yaml', 'node_modules/.pnpm/lock.yaml'].map((name) => read(inRoot(name)))
  return hashOf([some, ...locks].join('\0'))
}

/** A hash of what a package is built from: unlike times, contents survive checkouts. */
function describeSources(name, types) {
  const folder = inRoot(name, 'src')
  const settings = [
    '../package.json',
    '../tsup.config.ts',
    '../vite.config.ts',
    '../../../tsconfig.base.json',
  ]
  const hash = createHash('sha256').update(read(inRoot('pnpm-lock.yaml')))
  for (const file of [...settings, ...readdirSync(folder, { recursive: true }).sort()]) {
    if (/\.\w+$/.test(file)) hash.update(`\0${file}\0${read(join(folder, file))}`)
  }
  return `${hash.digest('hex')}${types ? ' with types' : ''}`
}

async function prepare({ install, build = [], types = false }) {
  const isOutdated = (name) => !read(noteOf(name)).startsWith(describeSources(name, types))
  if (isInstalled(install) && !build.some(isOutdated)) return
  const turn = await takeTurn()
  if (!isInstalled(install)) {
    // For a start it takes the lock file as it is: to ask how old 764 packages are takes longer than to fetch 130.
    const some = install === undefined ? [] : ['--trust-lockfile', '--filter', install]
    runStep(pnpm(...some, 'install'))
    if (install !== undefined) writeFileSync(noteOf('installed'), describeInstall(install))
  }
  const outdated = build.filter(isOutdated)
  const notes = outdated.map((name) => [noteOf(name), describeSources(name, types)])
  for (const [file] of notes) writeFileSync(file, '')
  const filters = outdated.flatMap((name) => ['--filter', `./${name}`])
  const quick = types ? [] : ['--no-dts', '--no-clean']
  // It would install everything.
  const asItIs = '--config.verify-deps-before-run=false'
  if (outdated.length > 0) runStep(pnpm(asItIs, ...filters, 'run', 'build', '--silent', ...quick))
  for (const [file, text] of notes) writeFileSync(file, text)
  turn.close()
}

/** One install or build at a time: who listens on this folder's port has the turn, until its process ends. */
async function takeTurn() {
  const port = 20_000 + (Number.parseInt(hashOf(inRoot()).slice(0, 4), 16) % 10_000)
  for (let tries = 0; ; tries++) {
    const server = createServer().listen({ port, host: '127.0.0.1' })
    const isMine = await once(server, 'listening').catch(({ code }) => code !== 'EADDRINUSE')
    // What fails ends the process, and with it the turn.
    if (isMine) return server.unref()
    if (tries === 10) console.error(`Waiting for another install or build, which has port ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function handOver([program, ...rest]) {
  const child = spawn(program, rest, { stdio: 'inherit', shell: shell && /\.cmd$/.test(program) })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to the whole group: the child has it already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => console.error(error.message))
  child.on('close', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

const [name = '', ...rest] = process.argv.slice(2)
try {
  const { script, run, args = [], ...needs } = tasks[name] ?? {}
  if (!Object.hasOwn(tasks, name)) throw new Error(`Tasks: ${Object.keys(tasks).join(', ')}`)
  mkdirSync(noteOf(''), { recursive: true })
  const node = findNode()
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH}`
  // What is started often is compiled once, and TypeScript's types are taken out once.
  process.env.NODE_COMPILE_CACHE ??= noteOf('compiled')
  await prepare(needs)
  if (script) handOver([node, inRoot(script), ...args, ...rest])
  if (run) handOver(run(rest))
} catch (error) {
  console.error(error.message)
  if (name === 'test') console.log('0 passed, 1 failed')
  process.exitCode = 1
}
