// The thread of reader.ts: reads a file on its own connection, one statement after the other.

import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CompiledQuery } from '../statement.ts'

export type ReaderTask = CompiledQuery | 'copy the log'

/** The rows, and the processor time that they took */
export interface Rows {
  rows: unknown[]
  milliseconds: number
}

/** Or the statement's fault */
export type ReaderAnswer = Rows | { message: string; code: string | undefined }

/** Of this thread; where Node does not know it, of the process */
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage

const { filename } = workerData as { filename: string } // passed by reader.ts
const connection = new Sqlite(filename, { readonly: true, fileMustExist: true })
/** Opened by the first copy */
let copier: Sqlite.Database | undefined
const prepared = new Map<string, Sqlite.Statement<unknown[]>>()

// From now on the thread may be ended.
parentPort?.postMessage('open')
parentPort?.on('message', (task: ReaderTask) => parentPort?.postMessage(answer(task)))

function answer(task: ReaderTask): ReaderAnswer {
  const start = cpuMs()
  try {
    const rows = task === 'copy the log' ? copyLog() : read(task)
    return { rows, milliseconds: cpuMs() - start }
  } catch (error) {
    const { message, code } = error as Error & { code?: string } // better-sqlite3 only throws errors
    return { message, code }
  }
}

function cpuMs(): number {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}

function read({ sql, parameters }: CompiledQuery): unknown[] {
  let statement = prepared.get(sql)
  if (statement === undefined) {
    statement = connection.prepare<unknown[]>(sql)
    prepared.set(sql, statement)
  }
  return statement.all(parameters)
}

function copyLog(): unknown[] {
  copier ??= new Sqlite(filename, { fileMustExist: true, timeout: 0 })
  copier.pragma('wal_checkpoint(PASSIVE)')
  return []
}
