import type { SigningAlgorithm, TokenType } from '@clientele/core'
import { defaultDatabaseUrl, minSecretLength } from '@clientele/core/database-url'
import {
  readMailFrom,
  readMailLocale,
  readSmtpUrl,
  readWebhookSecret,
  readWebhookUrl,
} from './mail-readers.ts'
import {
  oneOf,
  readDatabaseUrl,
  readFlag,
  readPublicUrl,
  readSecrets,
  wholeNumber,
} from './setting-readers.ts'
import { readTrustProxy } from './trust-proxy.ts'

/** The setting of one environment variable. */
export interface Setting<T> {
  variable: string
  /** The value if the variable is not set; undefined: the setting is undefined then */
  fallback?: string
  /** The description in the README and in `clientele serve --help` */
  about: string
  /** @throws Error whose message follows the variable's name */
  read(text: string): T
}

/** A setting that has a value even if its variable is not set. */
interface SettingWithFallback<T> extends Setting<T> {
  fallback: string
}

// Not core's own lists: --help shows these settings without loading core.
const signingAlgorithms = listKeys<SigningAlgorithm>({ ES256: true, EdDSA: true, RS256: true })
const tokenTypes = listKeys<TokenType>({ 'at+jwt': true, JWT: true })
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
const logFormats = ['json', 'pretty'] as const

/** Every setting of the server, in the order in which the README has them. */
export const settingTable = {
  port: withFallback(
    'PORT',
    '3000',
    wholeNumber(0, 65_535),
    'the port to listen on; `0`: a free port',
  ),
  host: withFallback('HOST', '127.0.0.1', String, '`0.0.0.0` or `::` listens on every address'),
  maxConnections: withFallback(
    'MAX_CONNECTIONS',
    '2000',
    wholeNumber(10, 1_000_000),
    'the maximum number of connections per process. Above it, connections that have been idle for five seconds are closed and new ones refused',
  ),
  databaseUrl: withFallback(
    'DATABASE_URL',
    defaultDatabaseUrl,
    readDatabaseUrl,
    '`sqlite:` and a file, `sqlite::memory:`, or `postgres://user:password@host/database`',
  ),
  replicaUrl: optional(
    'DATABASE_REPLICA_URL',
    readDatabaseUrl,
    'the `postgres://` URL of a read replica of that database, which answers lists, exports and the feed',
  ),
  readsDirectly: withFallback(
    'DATABASE_DIRECT_READS',
    'false',
    readFlag,
    '`true` on Citus: frequent reads go to the server that has the account, not through the coordinator',
  ),
  followsDatabaseClock: withFallback(
    'DATABASE_CLOCK',
    'true',
    readFlag,
    "`false` never corrects the server's clock by PostgreSQL's: if PostgreSQL's is the wrong one",
  ),
  workers: withFallback(
    'WORKERS',
    '1',
    wholeNumber(1, 128),
    'the number of server processes, on PostgreSQL only: one for each core. Same as `--workers`. Each has its own database connections',
  ),
  migrates: withFallback(
    'MIGRATE',
    'true',
    readFlag,
    '`false` for a role that may not create tables: the server refuses to start if the schema is not up to date',
  ),
  secrets: optional(
    'CLIENTELE_SECRET',
    readSecrets,
    `the secret that encrypts signing keys, ${minSecretLength} characters or more; in a comma-separated list, the first encrypts, all decrypt. On SQLite a secret is generated in a file beside the database; PostgreSQL needs one (\`openssl rand -base64 32\`)`,
  ),
  publicUrl: optional(
    'PUBLIC_URL',
    readPublicUrl,
    'the mount point as callers see it, `https://api.example.com/api/v1`: `iss` of tokens and the paths in responses begin with it',
  ),
  servesConsole: withFallback(
    'CONSOLE',
    'true',
    readFlag,
    '`false` disables the console at `/client/console`, and its links',
  ),
  signingAlgorithm: withFallback(
    'SIGNING_ALGORITHM',
    'ES256',
    oneOf(signingAlgorithms),
    'or `EdDSA`, `RS256`: the algorithm that signs tokens',
  ),
  tokenType: withFallback(
    'TOKEN_TYPE',
    'at+jwt',
    oneOf(tokenTypes),
    'or `JWT`: the `typ` of tokens',
  ),
  tokenTtlSeconds: withFallback(
    'TOKEN_TTL',
    '7200',
    wholeNumber(1, 366 * 24 * 3600, 'seconds'),
    'the lifetime of tokens in seconds',
  ),
  logLevel: withFallback(
    'LOG_LEVEL',
    'info',
    (text) => oneOf(logLevels)(text.toLowerCase()),
    '`debug`, `info`, `warn`, `error` or `silent`; on standard error',
  ),
  logFormat: optional(
    'LOG_FORMAT',
    (text) => oneOf(logFormats)(text.toLowerCase()),
    '`json`, or `pretty`: lines for people, in colour unless `NO_COLOR` is set. By default pretty in a terminal, and JSON elsewhere and in CI',
  ),
  trustProxy: optional(
    'TRUST_PROXY',
    readTrustProxy,
    'the proxies whose `X-Forwarded-For` is trusted: their number (`1`), or a comma-separated list of addresses, networks (`10.0.0.0/8`), `loopback`, `linklocal` and `uniquelocal`. Then failed sign-ins are also limited per client address; `0`: use the address of the connection',
  ),
  trustsRequestIds: withFallback(
    'TRUST_REQUEST_IDS',
    'false',
    readFlag,
    '`true` behind a proxy that sets `X-Request-Id`: responses and log lines use its id',
  ),
  eventRetentionDays: withFallback(
    'EVENT_RETENTION_DAYS',
    '90',
    wholeNumber(1, 36_500, 'days'),
    'how long events are kept, in days: at least as long as `TOKEN_TTL`',
  ),
  chainsEvents: withFallback(
    'AUDIT_CHAIN',
    'false',
    readFlag,
    '`true` links events in a hash chain: see the guide about auditing',
  ),
  deliversWebhooks: withFallback(
    'DELIVER_WEBHOOKS',
    'true',
    readFlag,
    '`false` if other processes send webhooks',
  ),
  allowsPrivateAddresses: withFallback(
    'ALLOW_PRIVATE_ADDRESSES',
    'false',
    readFlag,
    "`true` allows private and loopback addresses and http for webhooks and issuers' key sets: for development and closed networks. Metadata addresses stay refused",
  ),
  smtpUrl: optional(
    'SMTP_URL',
    readSmtpUrl,
    'the mail server, `smtp://user:password@host:587`, or `smtps://` for TLS from the start. A password requires TLS. Without `SMTP_URL` and `MAIL_WEBHOOK` no mail is sent',
  ),
  mailFrom: optional(
    'MAIL_FROM',
    readMailFrom,
    'the sender of mails, `Acme <no-reply@example.com>`; `SMTP_URL` needs it',
  ),
  mailTemplates: optional(
    'MAIL_TEMPLATES',
    String,
    'a folder with your own mail texts; see “Mail” in the README of `clientele`',
  ),
  mailLocale: withFallback(
    'MAIL_LOCALE',
    'en',
    readMailLocale,
    'the language of mails if the request names none: `en`, `de`, `fr`, `es`, `pt`, `it`, `nl`, `pl`, `ja`, `zh`, or a folder of `MAIL_TEMPLATES`',
  ),
  mailWebhook: optional(
    'MAIL_WEBHOOK',
    readWebhookUrl,
    'instead of `SMTP_URL`: a URL that receives each mail as JSON and sends it; see “Mail” in the README of `clientele`',
  ),
  mailWebhookSecret: optional(
    'MAIL_WEBHOOK_SECRET',
    readWebhookSecret,
    'the secret that signs these requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64',
  ),
  hookUrl: optional(
    'HOOK_URL',
    readWebhookUrl,
    'a URL that is asked before a user is created or changed and before a sign-in, and for claims of tokens; see “Hooks” in the README of `clientele`',
  ),
  hookSecret: optional(
    'HOOK_SECRET',
    readWebhookSecret,
    'the secret that signs these requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64',
  ),
  metricsPort: optional(
    'METRICS_PORT',
    wholeNumber(0, 65_535),
    'a separate port for `/metrics` in the text format of Prometheus, without an API key; `0`: a free port, which the log names',
  ),
  metricsHost: withFallback(
    'METRICS_HOST',
    '127.0.0.1',
    String,
    'the address of `METRICS_PORT`; for a collector on another machine, use an address that only the collector can reach',
  ),
  logsMail: withFallback(
    'LOG_MAIL',
    'false',
    readFlag,
    '`true` writes mails to the log, with their codes and tokens: for development. Needs a `LOG_LEVEL` of `warn`, `info` or `debug`',
  ),
}

/** The settings of the server. */
export type Settings = {
  readonly [Name in keyof typeof settingTable]: (typeof settingTable)[Name] extends SettingWithFallback<
    infer T
  >
    ? T
    : (typeof settingTable)[Name] extends Setting<infer T>
      ? T | undefined
      : never
}

export type LogFormat = (typeof logFormats)[number]

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
