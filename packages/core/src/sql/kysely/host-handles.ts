import type { OpenTransaction } from '../driver.ts'
import { findSession } from '../host-sessions/find-session.ts'
import { openClientSession } from '../postgres/client-session.ts'
import {
  type KnownPlace,
  PostgresHostTransaction,
  readPlace,
} from '../postgres/host-transaction.ts'
import { writeNothing } from '../sqlite/catalog.ts'
import { isBusy } from '../sqlite/faults.ts'
import type { HostFile } from '../sqlite/host-file.ts'
import { assertConnection, SqliteHostTransaction } from '../sqlite/host-transaction.ts'
import { fileOf, SqliteSessionTransaction, selectFile } from '../sqlite/session-transaction.ts'
import type { CompiledQuery } from '../statement.ts'
import { toPath } from '../to-path.ts'

/** The parts of the Kysely repository that it needs. */
export interface HostInstance {
  readonly schema: string | undefined
  /** Queries outside of every transaction */
  ask(step: CompiledQuery): Promise<unknown[]>
  /** The same without retrying: rejects with the driver's fault */
  runOnce(step: CompiledQuery): Promise<unknown[]>
}

/** Joins transactions of the host's, on its Kysely instance or on a driver's connection. */
export interface HostHandles {
  /** Finds out which database this is. Later a transaction of the host's may hold the only connection. */
  learnPlace(): Promise<void>
  /** @throws ClienteleError `transaction_invalid`, `transaction_foreign` */
  open(handle: unknown): OpenTransaction
}

export function createPostgresHandles({ schema, ask }: HostInstance): HostHandles {
  const known: KnownPlace = {
    table: toPath(schema, 'clientele_accounts'),
    transactionIds: new WeakMap(),
  }
  return {
    learnPlace: async () => {
      known.place = await readPlace(known.table, ask)
    },
    open: (handle) => {
      const session = findSession(handle, 'postgres') ?? openClientSession(handle)
      return new PostgresHostTransaction({ session, ask, known })
    },
  }
}

export function createSqliteHandles({ ask, runOnce }: HostInstance): HostHandles {
  let own: HostFile = { name: '', memory: true, inTransaction: undefined }
  const known = new WeakSet<object>()
  const isBeingWritten = async (): Promise<boolean> => {
    try {
      // A single statement: a lock held from one tick to the next could block the host's commit.
      await runOnce(writeNothing)
      return false
    } catch (error) {
      if (isBusy(error)) return true
      throw error
    }
  }
  return {
    learnPlace: async () => {
      const [row] = await ask({ sql: selectFile, parameters: [] })
      own = { ...fileOf(row), inTransaction: undefined }
    },
    open: (handle) => {
      const session = findSession(handle, 'sqlite')
      if (session !== undefined)
        return new SqliteSessionTransaction({ session, own, known, isBeingWritten })
      assertConnection(handle, own)
      // The Kysely instance may use this very connection.
      return new SqliteHostTransaction({
        connection: handle,
        reads: 'unknown',
        isBeingWritten: () => true,
      })
    },
  }
}
