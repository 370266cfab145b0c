import { z } from 'zod'
import { aFunction } from '../../base/input/configuration.ts'
import { parseArgument } from '../../base/input/input.ts'
import { isStorableText } from '../../base/input/json.ts'
import { localeSchema } from '../../base/input/locale.ts'
import {
  defaultHashLimits,
  type HashLimits,
  hashLimitCeiling,
} from '../passwords/stored-hashes/hash-cost.ts'
import type { ImportProgress } from './store.ts'

export interface ImportOptions {
  /** Writes nothing and reports what would happen. @default false */
  dryRun?: boolean
  /** Whether an invalid record ends the import, after storing the records before it, or is skipped. @default 'stop' */
  onError?: 'stop' | 'skip'
  /**
   * What to do with a record whose e-mail or id belongs to a user of the account: end the import, skip the record, or
   * update the user. An update keeps members that the record omits; a new password ends the user's sessions. @default
   * as `onError`
   */
  onConflict?: 'stop' | 'skip' | 'update'
  /**
   * What to do with a record whose password hash cannot be verified: end the import, skip the record, or import the
   * user without a password. @default as `onError`
   */
  unknownHash?: 'stop' | 'skip' | 'reset'
  /**
   * The maximum cost of verifying a password hash, by its parameters: `milliseconds` of one core, at most 10,000, and
   * `mebibytes`, at most 1,024. A more expensive hash counts as one that cannot be verified. Expensive hashes slow down
   * the account's own sign-ins.
   *
   * @default { milliseconds: 250, mebibytes: 64 }
   */
  hashLimits?: { milliseconds?: number | undefined; mebibytes?: number | undefined }
  /**
   * Whether the records are in the wire format, as files are: snake_case, and times in ISO 8601.
   *
   * @default false: camelCase and Date
   */
  fromWire?: boolean
  /** Members of the records to ignore. @default none */
  ignore?: readonly string[]
  /**
   * Whether each new user gets its own event, `user.created`, instead of one `users.imported` per batch. A user who was there
   * before and changes always has its own.
   *
   * @default false
   */
  events?: boolean
  /**
   * Whether each new user without a password is invited: an e-mail has a token with which they set one. A batch's
   * invitations are sent before the next batch is stored. The result says how many were sent, and to whom none was.
   *
   * @default false
   */
  invite?: boolean
  /**
   * Whether each user chooses another password at the next sign-in with the imported one. A record's own `passwordExpired`
   * counts first.
   *
   * @default false
   */
  expirePasswords?: boolean
  /** The language of the invitations (BCP 47), which `sendMail` gets. @default none */
  locale?: string
  /**
   * A name for the records: a repeated import with this name continues where it was interrupted or stopped. @default
   * none: an import starts from the beginning
   */
  source?: string
  /**
   * Whether batches have up to 1,000 users instead of about a hundred: faster, for a process that serves no requests
   * meanwhile. On SQLite all requests wait while a batch is stored.
   *
   * @default false
   */
  largeBatches?: boolean
  /** Called after each batch */
  onProgress?: (progress: ImportProgress) => void
  /** Ends the import: stored users stay, and the call rejects with the signal's reason. */
  signal?: AbortSignal
}

/** The options with their defaults. */
export interface ImportPolicy {
  dryRun: boolean
  onError: 'stop' | 'skip'
  onConflict: 'stop' | 'skip' | 'update'
  unknownHash: 'stop' | 'skip' | 'reset'
  hashLimits: HashLimits
  /** Whether records of existing users are skipped on purpose */
  expectsConflicts: boolean
  fromWire: boolean
  ignored: ReadonlySet<string>
  /** Whether each new user gets its own event */
  hasEventPerUser: boolean
  largeBatches: boolean
  /** Whether new users without a password are invited */
  invites: boolean
  /** Whether imported passwords have to be changed */
  expiresPasswords: boolean
  locale: string | undefined
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
  invite: z.boolean().optional(),
  expirePasswords: z.boolean().optional(),
  locale: localeSchema.optional(),
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
    hasEventPerUser: options.events ?? false,
    largeBatches: options.largeBatches ?? false,
    invites: options.invite ?? false,
    expiresPasswords: options.expirePasswords ?? false,
    locale: localeSchema.optional().parse(options.locale), // in its canonical spelling
    signal: options.signal,
  }
}
