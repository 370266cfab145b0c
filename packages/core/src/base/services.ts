import type { Encryptor } from './crypto/encryptor.ts'
import type { StoredSecrets } from './crypto/stored-secrets.ts'
import type { Observation } from './observe/observation.ts'
import type { Logger } from './runtime/logger.ts'
import type { TaskQueue } from './runtime/task-queue.ts'

/** What nearly every action works with. Time and ids are passed in, so that a test can pass its own. */
export type BaseServices = {
  /** Milliseconds since the epoch */
  clock: () => number
  /** UUIDv7, in ascending order */
  newId: () => string
  /** UUIDv7 too, and cheaper */
  newRequestId: () => string
  logger: Logger
  /** Undefined: nobody observes */
  observation: Observation | undefined
  encryptor: Encryptor
  storedSecrets: StoredSecrets
  tasks: TaskQueue
  /** Where the mount point is seen from outside, without a slash at its end; undefined: nobody has said */
  publicUrl: string | undefined
  /** What callers see before our paths; undefined: what the routes are mounted under */
  publicPath: string | undefined
}
