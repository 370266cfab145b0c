/** A host's own way to begin and end transactions, beside Clientele on the same database. */
export interface Host {
  /** What `within` is given: of the transaction that was begun last */
  readonly handle: object
  /** Runs in the transaction, where one is open */
  run(sql: string): Promise<unknown[]>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  end(): Promise<void>
}

/** A transaction as a library gives it, and ends it */
interface OpenTransaction<Handle> {
  handle: Handle
  commit(): Promise<unknown>
  rollback(): Promise<unknown>
}

interface Library<Db, Handle> {
  db: Db
  begin(): Promise<OpenTransaction<Handle>>
  run(on: Db | Handle, sql: string): Promise<unknown[]>
  end(): Promise<unknown>
}

/** A host whose library has an object for each transaction. */
export class LibraryHost<Db extends object, Handle extends object> implements Host {
  readonly #library: Library<Db, Handle>
  #last: Handle | undefined
  #open: OpenTransaction<Handle> | undefined

  constructor(library: Library<Db, Handle>) {
    this.#library = library
  }

  get handle(): object {
    if (this.#last === undefined) throw new Error('No transaction was begun.')
    return this.#last
  }

  run(statement: string): Promise<unknown[]> {
    const { db, run } = this.#library
    return run(this.#open?.handle ?? db, statement)
  }

  async begin(): Promise<void> {
    // What a test that failed has left open would hold up the next ones.
    await this.#open?.rollback()
    this.#open = await this.#library.begin()
    this.#last = this.#open.handle
  }

  async commit(): Promise<void> {
    await this.#take().commit()
  }

  async rollback(): Promise<void> {
    await this.#take().rollback()
  }

  async end(): Promise<void> {
    await this.#library.end()
  }

  #take(): OpenTransaction<Handle> {
    const open = this.#open
    if (open === undefined) throw new Error('No transaction is open.')
    this.#open = undefined
    return open
  }
}
