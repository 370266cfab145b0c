import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** The package `clientele`, and those of the workspace that it depends on: folder and name. */
const shipped = [
  ['core', '@clientele/core'],
  ['console', '@clientele/console'],
  ['scim', '@clientele/scim'],
  ['cli', 'clientele'],
] as const

export interface Packed {
  /** The packages as they would be published, by their names */
  tarballs: Record<string, string>
  /** Where npm has installed them, and nothing else: the folder that has `node_modules` */
  folder: string
}

/**
 * Packs `clientele` and installs it as its users do: by npm, in an empty folder, with the versions that npm finds. What
 * has been installed is kept; of a package that has been built anew the contents are replaced.
 */
export async function installPacked(): Promise<Packed> {
  const parent = join(root, 'node_modules/.cache/packed')
  const needs = hashOf(['package.json'])
  const contents = hashOf(['package.json', 'dist/**/*'])
  const folder = join(parent, needs)
  const note = join(folder, 'contents')
  const isReady = () => existsSync(note) && readFileSync(note, 'utf8') === contents
  if (!isReady()) {
    const endTurn = await takeTurn()
    try {
      if (!isReady()) {
        await removeOthers(parent, needs)
        await rm(note, { force: true })
        await install(folder)
        await writeFile(note, contents)
      }
    } finally {
      endTurn()
    }
  }
  return { folder, tarballs: tarballsIn(folder) }
}

async function install(folder: string): Promise<void> {
  const target = join(folder, 'tarballs')
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const filters = shipped.flatMap(([name]) => ['--filter', `./packages/${name}`])
  const pack = ['run.mjs', 'pnpm', ...filters, 'pack', '--pack-destination', target]
  await run(process.execPath, pack, { cwd: root })
  const tarballs = Object.entries(tarballsIn(folder))
  if (existsSync(join(folder, 'package-lock.json'))) {
    for (const [name, tarball] of tarballs)
      await unpack(tarball, join(folder, 'node_modules', name))
    return
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const files = tarballs.map(([, file]) => file)
  await run('npm', ['install', ...quiet, ...files], { cwd: folder })
}

async function unpack(tarball: string, target: string): Promise<void> {
  for (const part of ['dist', 'package.json'])
    await rm(join(target, part), { recursive: true, force: true })
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
}

function tarballsIn(folder: string): Record<string, string> {
  const pairs = shipped.flatMap(([, name]) => {
    const pattern = `tarballs/${name.replace('@', '').replace('/', '-')}-[0-9]*.tgz`
    return globSync(pattern, { cwd: folder }).map((file) => [name, join(folder, file)])
  })
  return Object.fromEntries(pairs)
}

async function removeOthers(parent: string, kept: string): Promise<void> {
  if (!existsSync(parent)) return
  const others = (await readdir(parent)).filter((name) => name !== kept)
  await Promise.all(others.map((name) => rm(join(parent, name), { recursive: true, force: true })))
}

/** A hash of these files of every shipped package, and of the versions that they ask for. */
function hashOf(patterns: string[]): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'pnpm-workspace.yaml')))
  for (const [name] of shipped) {
    const cwd = join(root, 'packages', name)
    for (const file of globSync(patterns, { cwd }).sort()) {
      const path = join(cwd, file)
      if (statSync(path).isFile()) hash.update(`\0${name}/${file}\0`).update(readFileSync(path))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** One process installs at a time: it listens on a port of this folder, and its end gives the turn back in any case. */
async function takeTurn(): Promise<() => void> {
  const port = 30_000 + (createHash('sha256').update(root).digest().readUInt16BE() % 10_000)
  for (;;) {
    const server = createServer().listen({ port, host: '127.0.0.1' })
    const isMine = await once(server, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        return false
      },
    )
    if (isMine) return () => server.close()
    await sleep(200)
  }
}
