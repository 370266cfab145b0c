import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findFreePort } from './find-free-port.ts'

/** Where it is installed; Debian keeps it apart from what users run. */
export const pgbouncerPath = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((file) => existsSync(file))

const nobody = 65_534

/** Starts a PgBouncer in transaction mode, with two connections to the server of the URL. */
export async function openPgBouncer(url: string): Promise<{ url: string; close(): Promise<void> }> {
  if (pgbouncerPath === undefined) throw new Error('PgBouncer is not installed.')
  const server = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'clientele-pgbouncer-'))
  const port = await findFreePort()
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${server.username}" "${server.password}"\n`)
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${server.hostname} port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = md5',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'default_pool_size = 2',
    ].join('\n'),
  )
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(folder, nobody, nobody)
  const child = spawn(pgbouncerPath, [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
  const exited = once(child, 'exit')
  // A test that fails before it closes this leaves nothing running.
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  const said: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said.push(String(chunk))
      if (said.join('').includes('process up')) resolve()
    })
    child.on('exit', () => reject(new Error(`PgBouncer did not start:\n${said.join('')}`)))
    child.on('error', reject)
  })
  server.port = String(port)
  return {
    url: server.href,
    close: async () => {
      process.off('exit', kill)
      kill()
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
