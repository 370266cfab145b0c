import { realpathSync } from 'node:fs'

/** The database in which a transaction of the host's has to be. */
export interface HostFile {
  /** Its path, as it was opened */
  readonly name: string
  readonly memory: boolean
  /** Whether the host has a transaction open on our own connection; undefined where we have none of our own */
  readonly inTransaction: boolean | undefined
}

/** Whether a connection is to our file. One to a database in memory is, as far as a name can say. */
export function isSameFile(own: HostFile, other: { name: string; memory: boolean }): boolean {
  if (own.memory || other.memory) return own.memory && other.memory
  return realpathSync(own.name) === realpathSync(other.name)
}
