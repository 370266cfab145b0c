import {
  type SigningAlgorithm,
  signingAlgorithms,
  type TokenType,
  tokenTypes,
} from '@clientele/core'
import { defaultDatabaseUrl } from '@clientele/core/database-url'

export interface Settings {
  host: string
  port: number
  databaseUrl: string
  /** Where the mount point is seen from outside; undefined: where it listens */
  publicUrl: string | undefined
  signingAlgorithm: SigningAlgorithm
  tokenType: TokenType
  tokenTtlSeconds: number
  /** The first encrypts, all decrypt; undefined where none was given. */
  secrets: string[] | undefined
  logLevel: LogLevel
  /** Whether the schema is brought up to date at the start */
  migrates: boolean
  /** Whether the id that came with a request is taken over: only behind a proxy that sets it */
  trustsRequestIds: boolean
  /** Whether events are linked by a hash chain */
  chainsEvents: boolean
  /** Whether this process sends webhooks */
  deliversWebhooks: boolean
  /** Whether webhooks and issuers' key sets may be at private addresses */
  allowsPrivateAddresses: boolean
  /** Whether mails are written to the log, with their codes and tokens: for development. */
  logsMail: boolean
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** A setting that the server can't start with. Its message says what to write, and never repeats what was written. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Reads the environment; a variable that is empty is one that is not set. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined
  return {
    host: read('HOST') ?? '127.0.0.1',
    port: readNumber('PORT', read('PORT') ?? '3000', 0, 65_535),
    databaseUrl: read('DATABASE_URL') ?? defaultDatabaseUrl,
    publicUrl: readUrl('PUBLIC_URL', read('PUBLIC_URL')),
    signingAlgorithm: readOneOf(
      'SIGNING_ALGORITHM',
      read('SIGNING_ALGORITHM') ?? 'ES256',
      signingAlgorithms,
    ),
    tokenType: readOneOf('TOKEN_TYPE', read('TOKEN_TYPE') ?? 'at+jwt', tokenTypes),
    tokenTtlSeconds: readNumber('TOKEN_TTL', read('TOKEN_TTL') ?? '7200', 1, 366 * 24 * 3600),
    secrets: readSecrets(read('CLIENTELE_SECRET')),
    logLevel: readOneOf('LOG_LEVEL', (read('LOG_LEVEL') ?? 'info').toLowerCase(), logLevels),
    migrates: readFlag('MIGRATE', read('MIGRATE') ?? 'true'),
    trustsRequestIds: readFlag('TRUST_REQUEST_IDS', read('TRUST_REQUEST_IDS') ?? 'false'),
    chainsEvents: readFlag('AUDIT_CHAIN', read('AUDIT_CHAIN') ?? 'false'),
    deliversWebhooks: readFlag('DELIVER_WEBHOOKS', read('DELIVER_WEBHOOKS') ?? 'true'),
    allowsPrivateAddresses: readFlag(
      'ALLOW_PRIVATE_ADDRESSES',
      read('ALLOW_PRIVATE_ADDRESSES') ?? 'false',
    ),
    logsMail: readFlag('LOG_MAIL', read('LOG_MAIL') ?? 'false'),
  }
}

function readNumber(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new SettingError(`${name} must be a whole number from ${least} to ${most}.`)
}

function readFlag(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new SettingError(`${name} must be true or false.`)
}

function readUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { protocol = '', username, password, search, hash } = URL.parse(text) ?? {}
  if (/^https?:$/.test(protocol) && !(username || password || search || hash)) return text
  throw new SettingError(
    `${name} must be an http or https URL without user, query and fragment: https://api.example.com/api/v1.`,
  )
}

function readSecrets(text: string | undefined): string[] | undefined {
  const secrets = text?.split(',').map((secret) => secret.trim())
  if (secrets?.includes('')) {
    throw new SettingError('CLIENTELE_SECRET must be a comma-separated list without empty entries.')
  }
  return secrets
}

function readOneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text)
  if (found !== undefined) return found
  throw new SettingError(`${name} must be one of ${known.join(', ')}.`)
}
