import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { EventType } from '@clientele/core'

/** A change that a writer was told of. */
export interface Acknowledged {
  requestId: string
  type: EventType
  userId: string | null
  /** The user's, where the change has one */
  version?: number
}

/** A process that changes users, and what it was told of. */
export class FeedWriter {
  readonly name: string
  readonly journal: Acknowledged[] = []
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #errors = ''

  /** @param killAfter kill -9 after this number of changes; undefined: it ends by itself */
  constructor(
    name: string,
    args: {
      url: string
      accountId: string
      sharedUserIds: string[]
      changes: number
      chain: boolean
    },
    killAfter?: number,
  ) {
    this.name = name
    const { url, accountId, sharedUserIds, changes, chain } = args
    const script = join(import.meta.dirname, 'feed-worker.ts')
    const given = [
      url,
      accountId,
      name,
      JSON.stringify(sharedUserIds),
      String(changes),
      String(chain),
    ]
    const child = spawn(process.execPath, [script, ...given], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.stderr.on('data', (chunk) => {
      this.#errors += chunk
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.journal.push(JSON.parse(line) as Acknowledged) // what the worker prints
      if (this.journal.length === killAfter) child.kill('SIGKILL')
    })
    this.ended = new Promise((resolve) => child.on('close', resolve))
  }

  get wasKilled(): boolean {
    return this.#child.signalCode === 'SIGKILL'
  }

  get errors(): string {
    return this.#errors
  }
}
