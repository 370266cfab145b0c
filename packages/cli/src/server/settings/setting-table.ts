import type { SigningAlgorithm, TokenType } from '@clientele/core'
import { defaultDatabaseUrl, minSecretLength } from '@clientele/core/database-url'
import { readMailFrom, readSmtpUrl, readWebhookSecret, readWebhookUrl } from './mail-readers.ts'
import {
  oneOf,
  readDatabaseUrl,
  readFlag,
  readPublicUrl,
  readSecrets,
  wholeNumber,
} from './setting-readers.ts'
import { readTrustProxy } from './trust-proxy.ts'

/** What the server reads from one environment variable. */
export interface Setting<T> {
  variable: string
  /** What stands for a variable that is not set; undefined: the setting is undefined then */
  fallback?: string
  /** What the README and `clientele serve --help` say of it */
  about: string
  /** @throws Error whose message follows the variable's name */
  read(text: string): T
}

/** A setting that has a value even where its variable is not set. */
interface SettingWithFallback<T> extends Setting<T> {
  fallback: string
}

// Not core's own lists: --help shows these settings, and does without core.
const signingAlgorithms = listKeys<SigningAlgorithm>({ ES256: true, EdDSA: true, RS256: true })
const tokenTypes = listKeys<TokenType>({ 'at+jwt': true, JWT: true })
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Every setting of the server, in the order in which the README has them. */
export const settingTable = {
  port: withFallback('PORT', '3000', wholeNumber(0, 65_535), 'where it listens; `0`: a free port'),
  host: withFallback('HOST', '127.0.0.1', String, '`0.0.0.0` or `::` listens on every address'),
  maxConnections: withFallback(
    'MAX_CONNECTIONS',
    '2000',
    wholeNumber(10, 1_000_000),
    'how many connections a process accepts at once. Above it idle ones are closed, and new ones refused',
  ),
  databaseUrl: withFallback(
    'DATABASE_URL',
    defaultDatabaseUrl,
    readDatabaseUrl,
    '`sqlite:` and a file, `sqlite::memory:`, or `postgres://user:password@host/database`',
  ),
  workers: withFallback(
    'WORKERS',
    '1',
    wholeNumber(1, 128),
    'how many processes serve, on PostgreSQL only: one for each core. `--workers` says the same. Each has database connections of its own',
  ),
  migrates: withFallback(
    'MIGRATE',
    'true',
    readFlag,
    '`false` for a role that may not create tables: a schema that is not up to date is refused',
  ),
  secrets: optional(
    'CLIENTELE_SECRET',
    readSecrets,
    `what signing keys are encrypted under, ${minSecretLength} characters or more; a comma-separated list: the first encrypts, all decrypt. On SQLite one is made in a file beside the database; PostgreSQL needs one (\`openssl rand -base64 32\`)`,
  ),
  publicUrl: optional(
    'PUBLIC_URL',
    readPublicUrl,
    'where callers see the mount point, `https://api.example.com/api/v1`: `iss` of tokens begins with it, and the paths that answers name',
  ),
  servesConsole: withFallback(
    'CONSOLE',
    'true',
    readFlag,
    '`false` serves no console: nothing is at `/client/console`, and no link to it is printed',
  ),
  signingAlgorithm: withFallback(
    'SIGNING_ALGORITHM',
    'ES256',
    oneOf(signingAlgorithms),
    'or `EdDSA`, `RS256`: what tokens are signed by',
  ),
  tokenType: withFallback('TOKEN_TYPE', 'at+jwt', oneOf(tokenTypes), 'or `JWT`: `typ` of tokens'),
  tokenTtlSeconds: withFallback(
    'TOKEN_TTL',
    '7200',
    wholeNumber(1, 366 * 24 * 3600),
    'how long a token is valid, in seconds',
  ),
  logLevel: withFallback(
    'LOG_LEVEL',
    'info',
    (text) => oneOf(logLevels)(text.toLowerCase()),
    '`debug`, `info`, `warn`, `error` or `silent`; JSON on standard error',
  ),
  trustProxy: optional(
    'TRUST_PROXY',
    readTrustProxy,
    "which proxies to believe in `X-Forwarded-For`: how many stand in front (`1`), or a comma-separated list of addresses, networks (`10.0.0.0/8`), `loopback`, `linklocal` and `uniquelocal`. Then limits on failed sign-ins count by the caller's address too; `0`: by the address that connects",
  ),
  trustsRequestIds: withFallback(
    'TRUST_REQUEST_IDS',
    'false',
    readFlag,
    '`true` behind a proxy that sets `X-Request-Id`: answers and log lines have its id',
  ),
  chainsEvents: withFallback(
    'AUDIT_CHAIN',
    'false',
    readFlag,
    '`true` links events by a hash chain: see the guide about auditing',
  ),
  deliversWebhooks: withFallback(
    'DELIVER_WEBHOOKS',
    'true',
    readFlag,
    '`false` where other processes send webhooks',
  ),
  allowsPrivateAddresses: withFallback(
    'ALLOW_PRIVATE_ADDRESSES',
    'false',
    readFlag,
    "`true` lets webhooks and issuers' key sets be at private and loopback addresses, and on http: for development and closed networks. Metadata addresses stay refused",
  ),
  smtpUrl: optional(
    'SMTP_URL',
    readSmtpUrl,
    'the mail server, `smtp://user:password@host:587`, or `smtps://` for TLS from the start. With a password TLS is required. Without this and `MAIL_WEBHOOK` no mail is sent',
  ),
  mailFrom: optional(
    'MAIL_FROM',
    readMailFrom,
    'the sender of mails, `Acme <no-reply@example.com>`; `SMTP_URL` needs it',
  ),
  mailTemplates: optional(
    'MAIL_TEMPLATES',
    String,
    'a folder with texts that replace those of the mails; see “Mail” in the README of `clientele`',
  ),
  mailWebhook: optional(
    'MAIL_WEBHOOK',
    readWebhookUrl,
    'in place of `SMTP_URL`: a URL that gets each mail as JSON, and sends it; see “Mail” in the README of `clientele`',
  ),
  mailWebhookSecret: optional(
    'MAIL_WEBHOOK_SECRET',
    readWebhookSecret,
    'what signs these requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64',
  ),
  metricsPort: optional(
    'METRICS_PORT',
    wholeNumber(0, 65_535),
    'where `/metrics` is, in the text format of Prometheus, on a port of its own and without an API key; `0`: a free port, which the log names',
  ),
  metricsHost: withFallback(
    'METRICS_HOST',
    '127.0.0.1',
    String,
    'the address of that port; where a collector comes from another machine, one that only it can reach',
  ),
  logsMail: withFallback(
    'LOG_MAIL',
    'false',
    readFlag,
    '`true` writes mails to the log, with their codes and tokens: for development. It needs a `LOG_LEVEL` of `warn`, `info` or `debug`',
  ),
}

/** The settings that the server runs by. */
export type Settings = {
  readonly [Name in keyof typeof settingTable]: (typeof settingTable)[Name] extends SettingWithFallback<
    infer T
  >
    ? T
    : (typeof settingTable)[Name] extends Setting<infer T>
      ? T | undefined
      : never
}

export type LogLevel = Settings['logLevel']

function withFallback<T>(
  variable: string,
  fallback: string,
  read: (text: string) => T,
  about: string,
): SettingWithFallback<T> {
  return { variable, fallback, read, about }
}

function optional<T>(variable: string, read: (text: string) => T, about: string): Setting<T> {
  return { variable, read, about }
}

function listKeys<T extends string>(keys: Record<T, true>): T[] {
  return Object.keys(keys) as T[] // exactly these, by their type
}
