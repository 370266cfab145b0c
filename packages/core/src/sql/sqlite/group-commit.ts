import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'

/** After so long a group is committed, and the rest of it waits for the next turn of the event loop, in milliseconds. */
const groupMs = 5

/** What it needs of a connection. */
export interface WriteConnection {
  readonly inTransaction: boolean
  execute(sql: string): void
}

export interface GroupCommitOptions {
  /** How long a write waits for another process's */
  lockTimeoutMs: number
  /** Whether a write failed because another process writes at the moment */
  isBusy(error: unknown): boolean
  /** The fault of a write that waits in vain for the host, which has a transaction open on the connection */
  taken(): Error
  /** Is asked before each attempt; throws where nothing may be written */
  assertWritable(): void
}

interface Write {
  run: () => unknown
  /** Whether it is one statement, which is a transaction by itself */
  isStatement: boolean
  deadline: number
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  /** What it waits for */
  fault?: unknown
}

/**
 * Commits the writes that meet in one turn of the event loop together, for 5 ms: a commit waits for the disk, and so they wait
 * once. They run one after the other, in the order in which they came, each in a savepoint of its own: a fault undoes
 * the write that failed, and no other. Nobody is answered before the commit, and nothing else runs in this process
 * between its beginning and its end: what the same connection reads has been committed.
 */
export class GroupCommit {
  readonly #connection: WriteConnection
  readonly #options: GroupCommitOptions
  #waiting: Write[] = []
  #isScheduled = false

  constructor(connection: WriteConnection, options: GroupCommitOptions) {
    this.#connection = connection
    this.#options = options
  }

  /**
   * Resolves with what `run` returns, once it is committed. `run` does not leave the tick, and is run anew when what it
   * wrote was undone for another's sake.
   */
  write<T>(run: () => T, { isStatement }: { isStatement: boolean }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run,
        isStatement,
        deadline: Date.now() + this.#options.lockTimeoutMs,
        resolve: resolve as Write['resolve'], // with what `run` returned
        reject,
      })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => void this.#commitWaiting())
    })
  }

  /** Commits at once what waits; what another process keeps from it fails. */
  close(): void {
    while (this.#waiting.length > 0)
      for (const { reject, fault } of this.#commit(this.#waiting.splice(0))) reject(fault)
  }

  async #commitWaiting(): Promise<void> {
    let attempt = 0
    while (this.#waiting.length > 0) {
      const busy = this.#commit(this.#waiting.splice(0))
      if (busy.length === 0) {
        attempt = 0
        // What there was no time for: others have their turn first.
        if (this.#waiting.length > 0) await endOfTurn()
        continue
      }
      const now = Date.now()
      for (const { deadline, reject, fault } of busy) if (deadline <= now) reject(fault)
      // Before those that have come meanwhile.
      this.#waiting.unshift(...busy.filter(({ deadline }) => deadline > now))
      await pause(++attempt)
    }
    this.#isScheduled = false
  }

  /** Answers those who wrote; returns those who have to wait for another process, or for the host. */
  #commit(group: Write[]): Write[] {
    try {
      return this.#tryCommit(group)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return []
    }
  }

  /** @throws what befell all of them */
  #tryCommit(group: Write[]): Write[] {
    const [first] = group
    if (first === undefined) return []
    // A transaction of the host's on the same connection: what is written now would be undone with it.
    if (this.#connection.inTransaction) {
      const fault = this.#options.taken()
      return group.map((write) => ({ ...write, fault }))
    }
    const answers: (() => void)[] = []
    let isRunning = false
    let rest: Write[] = []
    try {
      this.#options.assertWritable()
      if (group.length === 1 && first.isStatement) {
        answers.push(this.#run(first))
      } else {
        // IMMEDIATE: a deferred transaction that has read fails at its first write when another process wrote meanwhile.
        this.#connection.execute('begin immediate')
        isRunning = true
        // One that is alone is undone with its transaction.
        const end = performance.now() + groupMs
        for (const [index, write] of group.entries()) {
          answers.push(group.length === 1 ? this.#run(write) : this.#runApart(write))
          if (performance.now() < end) continue
          rest = group.slice(index + 1)
          break
        }
        isRunning = false
        this.#connection.execute('commit')
      }
    } catch (error) {
      const isUndone = !this.#connection.inTransaction
      if (!isUndone) this.#connection.execute('rollback')
      if (this.#options.isBusy(error)) return group.map((write) => ({ ...write, fault: error }))
      // A full disk undoes all of them, whichever it was that found no room.
      if (isUndone && isRunning && group.length > 1) {
        return group.flatMap((write) => this.#commit([write]))
      }
      throw error
    }
    this.#waiting.unshift(...rest)
    for (const answer of answers) answer()
    return []
  }

  /** Runs a write; returns what answers it after the commit. */
  #run({ run, resolve }: Write): () => void {
    const result = run()
    return () => resolve(result)
  }

  /** Runs a write so that its faults undo nothing else. */
  #runApart(write: Write): () => void {
    this.#connection.execute('savepoint own')
    try {
      const answer = this.#run(write)
      this.#connection.execute('release own')
      return answer
    } catch (error) {
      if (!this.#connection.inTransaction || this.#options.isBusy(error)) throw error
      this.#connection.execute('rollback to own')
      this.#connection.execute('release own')
      return () => write.reject(error)
    }
  }
}

/** Before the next attempt of what another process keeps from the file. */
export function pause(attempt: number): Promise<void> {
  return sleep(Math.min(5 * attempt, 50) * (0.5 + Math.random()))
}
