import type { HostSession } from '../host-sessions/host-session.ts'

/** By handle: a library's handle has one transaction. */
const known = new WeakMap<object, SessionMark>()

/** Returns the one mark of a handle. */
export function sessionMarkOf(session: HostSession): SessionMark {
  const mark = known.get(session.handle) ?? new SessionMark(session)
  known.set(session.handle, mark)
  return mark
}

const setting = 'defer_foreign_keys'

/**
 * Detects whether a library's handle is still in the same transaction. Some libraries still run statements when the
 * transaction has ended: in a later transaction on the same connection, or in none. SQLite gives transactions no ids
 * and does not report their end. But the setting `defer_foreign_keys` is off when a transaction begins and goes off
 * when it ends. The mark turns it on while a call is under way, and off during each writing statement, so that foreign
 * keys are checked at once.
 */
export class SessionMark {
  readonly #session: HostSession
  #calls = 0
  /** Serialises the statements that change the setting */
  #last: Promise<unknown> = Promise.resolve()

  constructor(session: HostSession) {
    this.#session = session
  }

  /** Marks the transaction for a call. */
  enter(): void {
    this.#calls++
    // This must be sent first: the host may end its transaction in the same tick.
    if (this.#calls === 1) this.#last = Promise.allSettled([this.#last, this.#turnOn()])
  }

  /** Whether the marked transaction is open. Not to be called while a statement writes. */
  async isOpen(): Promise<boolean> {
    await this.#last
    // Reading the table `pragma_defer_foreign_keys` instead would start a read transaction, which could not write after
    // other connections had written.
    const [row] = await this.#run(`pragma ${setting}`)
    return Number(Reflect.get(Object(row), setting)) === 1
  }

  /** Runs a statement that writes. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    await this.#run(`pragma ${setting} = off`)
    try {
      return await work()
    } finally {
      // If this fails, the next statement fails, too.
      await this.#turnOn().catch(() => {})
    }
  }

  /** Turns the setting off for the host, unless another call is under way. */
  async leave(): Promise<void> {
    this.#calls--
    if (this.#calls > 0) return
    this.#last = this.#last.then(() => this.#run(`pragma ${setting} = off`)).catch(() => {})
    await this.#last
  }

  async #turnOn(): Promise<void> {
    await Promise.all([
      this.#run(`pragma ${setting} = on`),
      // If no transaction is open, the setting would stay on and apply to the next one. A read turns it off again; this
      // read does not touch the file.
      this.#run('select 1 as one from sqlite_temp_schema limit 0'),
    ])
  }

  #run(sql: string): Promise<unknown[]> {
    return this.#session.query({ sql, parameters: [] })
  }
}
