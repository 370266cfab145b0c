import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import { inTurns } from './in-turns.ts'

/** After this time a group is committed, and the rest waits for the next turn of the event loop, in milliseconds. */
const groupMs = 5
/** A group that has changed this many rows is committed as well: a commit writes their pages, and takes longer than the statements. */
const groupRows = 200

/** The parts of a connection that it needs. */
export interface WriteConnection {
  readonly inTransaction: boolean
  execute(sql: string): void
  /** How many rows it has changed since it was opened, also those that a deletion has deleted in other tables */
  countChangedRows(): number
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
  /** Called after each commit */
  onCommit(): void
}

export interface WriteOptions {
  /** Whether it is a single statement, which is a transaction by itself */
  isStatement: boolean
  /** Called before `run`, if other writes wait too; undefined: of no account, or of several */
  accountOf: () => string | undefined
}

interface Write extends WriteOptions {
  run: () => unknown
  deadline: number
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  /** Why it waits */
  fault?: unknown
}

/**
 * Commits the writes of one turn of the event loop together, for up to 5 ms or 200 rows, because each commit waits for
 * the disk. Accounts take turns. Each write runs in its own savepoint: a failed write is rolled back alone. Callers are answered
 * after the commit. No other code of this process runs between `begin` and `commit`, so reads on the same
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
  write<T>(run: () => T, options: WriteOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        ...options,
        run,
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
      const busy = this.#commit(inTurns(this.#waiting.splice(0)))
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
  #commit(group: readonly Write[]): readonly Write[] {
    try {
      return this.#tryCommit(group)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return []
    }
  }

  /** @throws the fault that all writes of the group share */
  #tryCommit(group: readonly Write[]): readonly Write[] {
    const [first] = group
    if (first === undefined) return []
    // The host has a transaction on the same connection: our writes would be rolled back with it.
    if (this.#connection.inTransaction) {
      const fault = this.#options.taken()
      return group.map((write) => ({ ...write, fault }))
    }
    const answers: (() => void)[] = []
    let isRunning = false
    let rest: readonly Write[] = []
    try {
      this.#options.assertWritable()
      if (group.length === 1 && first.isStatement) {
        answers.push(this.#run(first))
      } else {
        // IMMEDIATE: a deferred transaction that has read fails at its first write when another process has written
        // meanwhile.
        this.#connection.execute('begin immediate')
        isRunning = true
        // A single write needs no savepoint, and no group ends with it.
        const isAlone = group.length === 1
        const end = performance.now() + groupMs
        const endRows = isAlone ? 0 : this.#connection.countChangedRows() + groupRows
        for (const [index, write] of group.entries()) {
          answers.push(isAlone ? this.#run(write) : this.#runApart(write))
          if (index === group.length - 1) break
          if (performance.now() < end && this.#connection.countChangedRows() < endRows) continue
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
    this.#options.onCommit()
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
