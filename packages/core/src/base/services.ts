import type { Encryptor } from './crypto/encryptor.ts'
import type { StoredSecrets } from './crypto/stored-secrets.ts'
import type { Observation } from './observe/observation.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Logger } from './runtime/logger.ts'
import type { TaskQueue } from './runtime/task-queue.ts'

/**
 * The services that nearly every action needs. The clock and the ids are passed in, so that a test can pass its own.
 */
export type BaseServices = {
  /** Milliseconds since the epoch */
  clock: () => number
  /** UUIDv7, in ascending order */
  newId: () => string
  /** UUIDv7 too, and cheaper to make */
  newRequestId: () => string
  logger: Logger
  /** Undefined: no observers */
  observation: Observation | undefined
  encryptor: Encryptor
  storedSecrets: StoredSecrets
  tasks: TaskQueue
  /** Requests to servers that other parties chose */
  outbound: Outbound
  /** The URL of the mount point as clients see it, without a trailing slash; undefined: not configured */
  publicUrl: string | undefined
  /** The path of the mount point as clients see it; undefined: the path where the routes are mounted */
  publicPath: string | undefined
}
