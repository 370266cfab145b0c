// The thread of reader.ts: reads a file on its own connection, one statement after the other.

import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CompiledQuery } from '../db.ts'

/** The rows and the duration of the read, or the statement's fault. */
export type ReaderAnswer =
  | { rows: unknown[]; milliseconds: number }
  | { message: string; code: string | undefined }

const { filename } = workerData as { filename: string } // passed by reader.ts
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
    const { message, code } = error as Error & { code?: string } // better-sqlite3 only throws errors
    return { message, code }
  }
}
