import { z } from 'zod'
import { aFunction } from '../../base/input/configuration.ts'
import { parseArgument } from '../../base/input/input.ts'
import { isStorableText } from '../../base/input/json.ts'
import {
  defaultHashLimits,
  type HashLimits,
  hashLimitCeiling,
} from '../passwords/stored-hashes/hash-cost.ts'
import type { ImportProgress } from './store.ts'

export interface ImportOptions {
  /** Writes nothing and says what would be said. @default false */
  dryRun?: boolean
  /** Whether a bad record ends the import, with all before it imported, or is left out. @default 'stop' */
  onError?: 'stop' | 'skip'
  /**
   * What a record does whose e-mail or id a user of the account has already: it ends the import, is left out, or the
   * user gets what it says; what it does not say stays, and a new password ends the user's sessions. @default as `onError`
   */
  onConflict?: 'stop' | 'skip' | 'update'
  /**
   * What a record does whose password hash is none that can be verified: it ends the import, is left out, or the user
   * comes without a password. @default as `onError`
   */
  unknownHash?: 'stop' | 'skip' | 'reset'
  /**
   * What verifying a password hash may cost, as its parameters say: `milliseconds` of one core, at most 10,000, and
   * `mebibytes`, at most 1,024. A dearer one is as one that cannot be verified. Dear hashes make the account's own
   * sign-ins slow.
   *
   * @default { milliseconds: 250, mebibytes: 64 }
   */
  hashLimits?: { milliseconds?: number | undefined; mebibytes?: number | undefined }
  /**
   * Whether the records are as on the wire and in files: snake_case, and times in ISO 8601.
   *
   * @default false: camelCase and Date
   */
  fromWire?: boolean
  /** Members of the records that are left out. @default none */
  ignore?: readonly string[]
  /**
   * Whether each user gets an event of its own, `user.created` or `user.updated`, in place of one `users.imported` a batch.
   *
   * @default false
   */
  events?: boolean
  /** Names the records: an import of the same ones that was interrupted or stopped goes on. @default it begins anew */
  source?: string
  /**
   * Whether batches have up to 1,000 users in place of about a hundred: quicker, where the process answers no requests
   * meanwhile. On SQLite all of them wait while a batch is stored.
   *
   * @default false
   */
  largeBatches?: boolean
  /** Told after each batch */
  onProgress?: (progress: ImportProgress) => void
  /** Ends the import: what has been stored stays, and the call rejects with the signal's reason. */
  signal?: AbortSignal
}

/** The options, with what is meant by those that are missing. */
export interface ImportPolicy {
  dryRun: boolean
  onError: 'stop' | 'skip'
  onConflict: 'stop' | 'skip' | 'update'
  unknownHash: 'stop' | 'skip' | 'reset'
  hashLimits: HashLimits
  /** Whether records whose users are there already are left out because that was asked for */
  expectsConflicts: boolean
  fromWire: boolean
  ignored: ReadonlySet<string>
  /** Whether each user gets an event of its own */
  tellsOfEach: boolean
  largeBatches: boolean
  signal: AbortSignal | undefined
}

const optionSchemas: Record<keyof ImportOptions, z.ZodType> = {
  dryRun: z.boolean().optional(),
  onError: z.enum(['stop', 'skip']).optional(),
  onConflict: z.enum(['stop', 'skip', 'update']).optional(),
  unknownHash: z.enum(['stop', 'skip', 'reset']).optional(),
  hashLimits: z
    .strictObject({
      milliseconds: z.number().positive().max(hashLimitCeiling.milliseconds).optional(),
      mebibytes: z.number().positive().max(hashLimitCeiling.mebibytes).optional(),
    })
    .optional(),
  fromWire: z.boolean().optional(),
  ignore: z.array(z.string()).optional(),
  events: z.boolean().optional(),
  largeBatches: z.boolean().optional(),
  source: z.string().min(1).refine(isStorableText).optional(),
  onProgress: aFunction().optional(),
  signal: z.instanceof(AbortSignal).optional(),
}

const optionsSchema = z.strictObject(optionSchemas)

/** @throws ClienteleError `validation_failed` */
export function readImportPolicy(options: ImportOptions): ImportPolicy {
  parseArgument('options', optionsSchema, options)
  const { milliseconds, mebibytes } = options.hashLimits ?? {}
  const hashLimits = {
    milliseconds: milliseconds ?? defaultHashLimits.milliseconds,
    mebibytes: mebibytes ?? defaultHashLimits.mebibytes,
  }
  const { dryRun = false, onError = 'stop', onConflict = onError, unknownHash = onError } = options
  return {
    dryRun,
    onError,
    onConflict,
    unknownHash,
    hashLimits,
    expectsConflicts: options.onConflict === 'skip',
    fromWire: options.fromWire ?? false,
    ignored: new Set(options.ignore),
    tellsOfEach: options.events ?? false,
    largeBatches: options.largeBatches ?? false,
    signal: options.signal,
  }
}
