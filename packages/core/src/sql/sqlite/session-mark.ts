import type { HostSession } from '../host-sessions/host-session.ts'

/** A library's handle has one transaction. */
const known = new WeakMap<object, SessionMark>()

/** One for all calls on a handle. */
export function sessionMarkOf(session: HostSession): SessionMark {
  const mark = known.get(session.handle) ?? new SessionMark(session)
  known.set(session.handle, mark)
  return mark
}

const setting = 'defer_foreign_keys'

/**
 * Tells the transaction of a library's handle from none, and from a later one on the same connection: some libraries run what
 * comes too late. SQLite has no name for a transaction, and says nothing of its end. But one setting is off at the beginning
 * of each, and goes off with its end. It is on while a call is under way, and off while a statement of the call writes, so
 * that what breaks a key is refused at once.
 */
export class SessionMark {
  readonly #session: HostSession
  #calls = 0
  /** What turns the setting on and off, one after the other */
  #last: Promise<unknown> = Promise.resolve()

  constructor(session: HostSession) {
    this.#session = session
  }

  /** Marks the transaction for a call. */
  enter(): void {
    this.#calls++
    // Sent before anything else is: the host may end its transaction in the same tick.
    if (this.#calls === 1) this.#last = Promise.allSettled([this.#last, this.#turnOn()])
  }

  /** Whether the transaction that was marked is open. Not while a statement writes. */
  async isOpen(): Promise<boolean> {
    await this.#last
    // As a table, `pragma_defer_foreign_keys`, it would begin to read the file, and then could not write what others had
    // written meanwhile.
    const [row] = await this.#run(`pragma ${setting}`)
    return Number(Reflect.get(Object(row), setting)) === 1
  }

  /** Runs a statement that writes. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    await this.#run(`pragma ${setting} = off`)
    try {
      return await work()
    } finally {
      // Where this fails, the next statement does.
      await this.#turnOn().catch(() => {})
    }
  }

  /** Leaves the setting off to the host, where no other call waits. */
  async leave(): Promise<void> {
    this.#calls--
    if (this.#calls > 0) return
    this.#last = this.#last.then(() => this.#run(`pragma ${setting} = off`)).catch(() => {})
    await this.#last
  }

  async #turnOn(): Promise<void> {
    await Promise.all([
      this.#run(`pragma ${setting} = on`),
      // Outside of a transaction it would stay on into the next. What reads ends it there; this reads nothing of the file.
      this.#run('select 1 as one from sqlite_temp_schema limit 0'),
    ])
  }

  #run(sql: string): Promise<unknown[]> {
    return this.#session.query({ sql, parameters: [] })
  }
}
