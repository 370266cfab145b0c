import type { Client, InValue, Transaction } from '@libsql/client'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** libSQL for Kysely, as `@libsql/kysely-libsql` has it, which brings a client of its own. */
export function createLibsqlDialect(client: Client): Dialect {
  return {
    createAdapter: () => new LibsqlAdapter(),
    createDriver: () => new LibsqlDriver(client),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** A client has as many connections as it needs. */
class LibsqlAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class LibsqlDriver implements Driver {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LibsqlConnection> {
    return new LibsqlConnection(this.#client)
  }

  async beginTransaction(connection: LibsqlConnection): Promise<void> {
    await connection.begin()
  }

  async commitTransaction(connection: LibsqlConnection): Promise<void> {
    await connection.commit()
  }

  async rollbackTransaction(connection: LibsqlConnection): Promise<void> {
    await connection.rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#client.close()
  }
}

class LibsqlConnection implements DatabaseConnection {
  readonly #client: Client
  #transaction: Transaction | undefined

  constructor(client: Client) {
    this.#client = client
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#client.transaction()
  }

  async commit(): Promise<void> {
    await this.#transaction?.commit()
    this.#transaction = undefined
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback()
    this.#transaction = undefined
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<{ rows: R[] }> {
    const runner = this.#transaction ?? this.#client
    const { rows } = await runner.execute({ sql, args: parameters as InValue[] }) // the client refuses others
    return { rows: rows as unknown as R[] } // as Kysely's own dialects have it
  }

  // biome-ignore lint/correctness/useYield: nothing here reads a stream
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('There are no streams.')
  }
}
