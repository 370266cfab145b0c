import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ServerSettings {
  /** The URL of the built package's `index.js` */
  core: string
  /** The database */
  url: string
  /** How far its clock is ahead of the right time, in milliseconds */
  apartMs: number
  /** Given to the one server that makes the account */
  webhook?: { url: string; types: string[] }
}

/** What the server says that made the account. */
export interface HistoryHouse {
  accountId: string
  apiKey: string
}

/** A server that is killed and started again, each time on another port. */
export class ServerProcess {
  readonly #settings: ServerSettings
  #child: ChildProcessWithoutNullStreams | undefined
  #ended: Promise<unknown> = Promise.resolve()
  /** Undefined while it does not listen */
  base: string | undefined

  constructor(settings: Omit<ServerSettings, 'apartMs'>) {
    this.#settings = { ...settings, apartMs: 0 }
  }

  /** Returns what its first start has made. */
  async start(): Promise<Partial<HistoryHouse>> {
    const script = join(import.meta.dirname, 'history-server.ts')
    const child = spawn(process.execPath, [script, JSON.stringify(this.#settings)])
    this.#child = child
    this.#ended = new Promise((resolve) => child.on('close', resolve))
    // A clock may be set just when the process is killed.
    child.stdin.on('error', () => {})
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints += chunk
    })
    for await (const line of createInterface({ input: child.stdout })) {
      const { base, ...house } = JSON.parse(line) as { base: string } & Partial<HistoryHouse> // as the script writes it
      this.base = base
      delete this.#settings.webhook
      return house
    }
    throw new Error(`The server ended before it listened:\n${complaints}`)
  }

  async kill(): Promise<void> {
    this.base = undefined
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  /** Sets the clock of the running process, and of those that are started in its place. */
  setClock(apartMs: number): void {
    this.#settings.apartMs = apartMs
    this.#child?.stdin.write(`${apartMs}\n`)
  }
}
