// The thread of sqlite-reader.ts: reads a file through a connection of its own, one statement after the other.

import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CompiledQuery } from '../db.ts'

/** Rows, and how long it took to read them; or what the statement failed with. */
export type ReaderAnswer =
  | { rows: unknown[]; milliseconds: number }
  | { message: string; code: string | undefined }

const { filename } = workerData as { filename: string } // what sqlite-reader.ts gives
const connection = new Sqlite(filename, { readonly: true, fileMustExist: true })
const prepared = new Map<string, Sqlite.Statement<unknown[]>>()

parentPort?.on('message', (step: CompiledQuery) => parentPort?.postMessage(answer(step)))

function answer({ sql, parameters }: CompiledQuery): ReaderAnswer {
  try {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = connection.prepare<unknown[]>(sql)
      prepared.set(sql, statement)
    }
    const start = performance.now()
    const rows = statement.all(parameters)
    return { rows, milliseconds: performance.now() - start }
  } catch (error) {
    const { message, code } = error as Error & { code?: string } // better-sqlite3 throws nothing else
    return { message, code }
  }
}
