import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'

/** After this time a group is committed, and the rest waits for the next turn of the event loop, in milliseconds. */
const groupMs = 5

/** The parts of a connection that it needs. */
export interface WriteConnection {
  readonly inTransaction: boolean
  execute(sql: string): void
}

export interface GroupCommitOptions {
  /** How long a write waits for another process's write */
  lockTimeoutMs: number
  /** Whether a write failed because another process is writing */
  isBusy(error: unknown): boolean
  /** The fault of a write that waited in vain for the host's transaction on the connection */
  taken(): Error
  /** Called before each attempt; throws when writing is not allowed */
  assertWritable(): void
}

interface Write {
  run: () => unknown
  /** Whether it is a single statement, which is a transaction by itself */
  isStatement: boolean
  deadline: number
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  /** Why it waits */
  fault?: unknown
}

/**
 * Commits the writes of one turn of the event loop together, for up to 5 ms, because each commit waits for the disk.
 * The writes run in order of arrival, each in its own savepoint: a failed write is rolled back alone. Callers are
 * answered after the commit. No other code of this process runs between `begin` and `commit`, so reads on the same
 * connection see committed data only.
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
   * Resolves with the result of `run` once it is committed. `run` stays within the tick. It runs again when its writes
   * were rolled back because of another write.
   */
  write<T>(run: () => T, { isStatement }: { isStatement: boolean }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run,
        isStatement,
        deadline: performance.now() + this.#options.lockTimeoutMs,
        resolve: resolve as Write['resolve'], // called with the result of `run`
        reject,
      })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => void this.#commitWaiting())
    })
  }

  /** Commits the waiting writes at once; those that another process blocks fail. */
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
        // The rest of the group waits until other work had its turn.
        if (this.#waiting.length > 0) await endOfTurn()
        continue
      }
      const now = performance.now()
      for (const { deadline, reject, fault } of busy) if (deadline <= now) reject(fault)
      // Blocked writes go before those that have arrived meanwhile.
      this.#waiting.unshift(...busy.filter(({ deadline }) => deadline > now))
      await pause(++attempt)
    }
    this.#isScheduled = false
  }

  /** Settles the writes; returns those that must wait for another process or for the host. */
  #commit(group: Write[]): Write[] {
    try {
      return this.#tryCommit(group)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return []
    }
  }

  /** @throws the fault that all writes of the group share */
  #tryCommit(group: Write[]): Write[] {
    const [first] = group
    if (first === undefined) return []
    // The host has a transaction on the same connection: our writes would be rolled back with it.
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
        // IMMEDIATE: a deferred transaction that has read fails at its first write when another process has written
        // meanwhile.
        this.#connection.execute('begin immediate')
        isRunning = true
        // A single write needs no savepoint.
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
      // A full disk rolls back the whole group: run each write alone.
      if (isUndone && isRunning && group.length > 1) {
        return group.flatMap((write) => this.#commit([write]))
      }
      throw error
    }
    this.#waiting.unshift(...rest)
    for (const answer of answers) answer()
    return []
  }

  /** Runs a write; returns a function that answers it after the commit. */
  #run({ run, resolve }: Write): () => void {
    const result = run()
    return () => resolve(result)
  }

  /** Runs a write in a savepoint, so that its fault rolls back no other write. */
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

/** Waits before the next attempt of a blocked statement. */
export function pause(attempt: number): Promise<void> {
  return sleep(Math.min(5 * attempt, 50) * (0.5 + Math.random()))
}
