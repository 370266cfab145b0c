import { realpathSync } from 'node:fs'

/** The database that a host's transaction must be in. */
export interface HostFile {
  /** The path that was opened */
  readonly name: string
  readonly memory: boolean
  /** Whether the host has a transaction open on our own connection; undefined when we have no connection */
  readonly inTransaction: boolean | undefined
}

/** Whether a connection is to our file. In-memory databases cannot be told apart by name and always match. */
export function isSameFile(own: HostFile, other: { name: string; memory: boolean }): boolean {
  if (own.memory || other.memory) return own.memory && other.memory
  return realpathSync(own.name) === realpathSync(other.name)
}
