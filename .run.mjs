// Runs a task of the workspace: node .run.mjs <task> [arguments]
//
// It needs nothing but Node 20: it finds a Node that is new enough, installs and builds what is out
// of date, and hands over to the task. Standard output belongs to the task; everything said here
// goes to standard error, and nothing is said when nothing had to be done.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const cache = join(root, 'node_modules/.cache/clientele')
// By major version: from here on Node takes TypeScript as it is.
const minimumMinors = { 22: 18, 23: 6 }
const fallbackNode = 'node@24'
const pnpmPackage = 'pnpm@12'
const lockMaxAgeMilliseconds = 15 * 60_000

// What each task needs before it starts (`scripts` are enough to run, `types` are for compilers and
// publishing), and what it then runs.
const tasks = {
  start: { build: 'scripts', run: ['examples/standalone-server/src/main.ts'] },
  clientele: { build: 'scripts', run: ['packages/cli/dist/clientele.js'] },
  bench: { build: 'scripts', prepare: installBench, run: ['test/bench/run.ts'] },
  test: { build: 'types', run: ['test/run.ts'] },
  build: { build: 'types' },
  exec: { execute: ([name, ...rest]) => [join(root, 'node_modules/.bin', name ?? ''), rest] },
  pnpm: { execute: (rest) => ['npx', ['--yes', '-p', pnpmPackage, '--', 'pnpm', ...rest]] },
}

class StepError extends Error {}

// --- child processes

let node = process.execPath

/** Runs a program to its end, passing signals on, and returns its exit code. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npx',
    ...options,
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      ...options.env,
    },
  })
  const pass = (signal) => child.kill(signal)
  // A terminal sends Ctrl-C to the whole group: the child has it already.
  const passInterrupt = () => process.stdin.isTTY || child.kill('SIGINT')
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', passInterrupt)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve(code ?? 128 + (signalNumbers[signal] ?? 0)))
    })
  } finally {
    process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', passInterrupt)
  }
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }

/** Runs a step whose output goes to standard error; throws if it fails. */
async function step(title, command, args, options) {
  console.error(title)
  const code = await run(command, args, { stdio: ['ignore', 2, 2], ...options })
  if (code !== 0) throw new StepError(`${title} failed (exit code ${code})`)
}

// --- finding Node

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 23 || minor >= (minimumMinors[major] ?? Infinity)
}

async function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const remembered = join(cache, 'node-path')
  const known = read(remembered)
  if (known && existsSync(known)) return known

  console.error(`Fetching ${fallbackNode}: this is Node ${process.versions.node}`)
  const child = spawn(
    'npx',
    ['--yes', '-p', fallbackNode, '--', 'node', '-p', 'process.execPath'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    },
  )
  let output = ''
  let complaints = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (complaints += chunk))
  await new Promise((resolve) => child.on('close', resolve).on('error', resolve))
  const found = output.trim().split('\n').at(-1) ?? ''
  if (!existsSync(found) || found === process.execPath) {
    throw new StepError(
      `Node 22.18 or newer is needed here, and could not be fetched.\n${complaints}`,
    )
  }
  write(remembered, found)
  return found
}

// --- what is out of date

function read(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

function listFolders(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort()
}

function listFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** The contents of files as one hash: unlike times, it survives checkouts and deletions. */
function fingerprint(files) {
  const hash = createHash('sha256').update(process.platform + process.arch)
  for (const file of files) hash.update(`\0${relative(root, file)}\0${read(file)}`)
  return hash.digest('hex')
}

// --- installing

function manifests() {
  return [
    join(root, 'package.json'),
    join(root, 'pnpm-workspace.yaml'),
    ...[...listFolders(join(root, 'packages')), ...listFolders(join(root, 'examples'))].map(
      (folder) => join(folder, 'package.json'),
    ),
    join(root, 'test/package.json'),
  ]
}

async function installFolder(title, folder, files, extra = []) {
  const lockFile = join(folder, 'pnpm-lock.yaml')
  const stamp = join(cache, `installed-${relative(root, folder).replaceAll('/', '-') || 'root'}`)
  const state = () => `${fingerprint(files)} ${fingerprint([lockFile])}`
  const isCurrent = () =>
    existsSync(join(folder, 'node_modules/.modules.yaml')) && read(stamp) === state()
  if (isCurrent()) return

  await withLock(async () => {
    if (isCurrent()) return
    const before = fingerprint(files)
    const frozen = process.env.CI && existsSync(lockFile) ? ['--frozen-lockfile'] : []
    const args = ['install', ...frozen, ...extra, '--config.confirmModulesPurge=false']
    await step(title, 'npx', ['--yes', '-p', pnpmPackage, '--', 'pnpm', ...args], { cwd: folder })
    write(stamp, `${before} ${fingerprint([lockFile])}`)
  })
}

async function install() {
  await installFolder('Installing the workspace', root, manifests())
}

// The benchmarks' dependencies (the programs they compare with) stay out of the workspace.
async function installBench() {
  const folder = join(root, 'test/bench')
  const files = [join(folder, 'package.json'), join(folder, 'pnpm-workspace.yaml')]
  if (!existsSync(files[0])) return
  const extra = existsSync(files[1]) ? [] : ['--ignore-workspace']
  await installFolder('Installing the benchmarks', folder, files, extra)
}

// --- building

/** A package's stamp is "<fingerprint> <level>"; `types` includes `scripts`. */
function isBuilt(folder, level) {
  const [hash, built] = read(buildStamp(folder)).split(' ')
  if (!existsSync(join(folder, 'dist')) || hash !== fingerprint(sources(folder))) return false
  return built === level || built === 'types'
}

function buildStamp(folder) {
  return join(cache, `built-${relative(root, folder).replaceAll('/', '-')}`)
}

function sources(folder) {
  return [
    join(root, 'tsconfig.base.json'),
    join(folder, 'package.json'),
    join(folder, 'tsconfig.json'),
    join(folder, 'tsup.config.ts'),
    ...listFiles(join(folder, 'src')),
  ]
}

async function buildPackage(folder, level) {
  if (isBuilt(folder, level)) return
  const hash = fingerprint(sources(folder))
  const dist = join(folder, 'dist')
  const next = join(folder, `.dist-${process.pid}`)
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  const args = [tsup, '--silent', '--out-dir', next, ...(level === 'scripts' ? ['--no-dts'] : [])]
  try {
    await step(`Building ${relative(root, folder)}`, node, args, { cwd: folder })
    // Compilers and editors keep the declarations of the last full build until the next one.
    if (level === 'scripts' && existsSync(dist)) {
      for (const file of readdirSync(dist).filter((name) => name.endsWith('.d.ts'))) {
        renameSync(join(dist, file), join(next, file))
      }
    }
    if (existsSync(dist)) renameSync(dist, `${next}-old`)
    renameSync(next, dist)
    write(buildStamp(folder), `${hash} ${level}`)
  } finally {
    rmSync(next, { recursive: true, force: true })
    rmSync(`${next}-old`, { recursive: true, force: true })
  }
}

async function build(level, only) {
  const core = join(root, 'packages/core')
  const others = listFolders(join(root, 'packages')).filter((folder) => folder !== core)
  const wanted = (folder) => only === undefined || folder === join(root, 'packages', only)
  const all = [core, ...others.filter(wanted)]
  if (all.every((folder) => isBuilt(folder, level))) return

  await withLock(async () => {
    await buildPackage(core, level)
    const results = await Promise.allSettled(all.slice(1).map((each) => buildPackage(each, level)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })
}

// --- one at a time

/** Holds a lock that other invocations wait for; one whose owner has died is taken over. */
async function withLock(work) {
  const lock = join(cache, 'lock')
  const owner = join(lock, 'pid')
  mkdirSync(cache, { recursive: true })
  for (let tries = 0; !tryMakeFolder(lock); tries++) {
    if (isStale(lock, owner)) takeOver(lock, owner)
    else {
      if (tries === 20) console.error('Waiting for another install or build of this workspace')
      await sleep(100)
    }
  }
  try {
    writeFileSync(owner, String(process.pid))
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function tryMakeFolder(folder) {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isStale(lock, owner) {
  let age
  try {
    age = Date.now() - statSync(lock).mtimeMs
  } catch {
    return false
  }
  if (age > lockMaxAgeMilliseconds) return true
  const pid = Number(read(owner))
  if (!pid) return age > 5000
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** Removes a stale lock; only one invocation may, else the second removes the first one's new lock. */
function takeOver(lock, owner) {
  const guard = `${lock}-take-over`
  if (!tryMakeFolder(guard)) {
    if (Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 10_000) {
      rmSync(guard, { recursive: true, force: true })
    }
    return
  }
  try {
    if (isStale(lock, owner)) rmSync(lock, { recursive: true, force: true })
  } finally {
    rmSync(guard, { recursive: true, force: true })
  }
}

// ---

async function main([name, ...args]) {
  const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined
  if (task === undefined) {
    throw new StepError(`Usage: node .run.mjs ${Object.keys(tasks).join('|')} [arguments]`)
  }
  node = await findNode()
  await install()
  if (task.build) await build(task.build, name === 'build' ? args[0] : undefined)
  await task.prepare?.()
  if (task.execute) return await run(...task.execute(args))
  if (task.run) return await run(node, [join(root, task.run[0]), ...args])
  return 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof StepError ? error.message : error)
  if (process.argv[2] === 'test') console.log('0 passed, 1 failed')
  process.exitCode = 1
}
