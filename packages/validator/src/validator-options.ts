import { inspect } from 'node:util'

export interface ValidatorOptions {
  /** `iss` of the account's tokens: `https://api.example.com/api/v1/client/account/<account id>`, or `urn:clientele:account:…` */
  issuer: string
  /** An API key of the account with the scope `tokens:validate` */
  apiKey: string
  /** The mount point of Clientele, `http://users.internal/api/v1`. @default the part of the issuer's URL */
  baseUrl?: string
  /** The longest time since the last answer of the feed, which is asked twice in this time. At least 1. @default 10 */
  maxStalenessSeconds?: number
  /**
   * What to do with a token when the last answer of the feed is older: ask Clientele about the token, refuse it with
   * `validator_unavailable`, or accept it by its signature and the known revocations. @default 'remote'
   */
  onStale?: 'remote' | 'reject' | 'accept'
  /** The lifetime of tokens: Clientele's `tokenTtlSeconds`. Tokens with a longer lifetime are refused. @default 7200 */
  tokenTtlSeconds?: number
  /** How many verified tokens are cached, so that a repeated token needs no second signature check. @default 10,000 */
  maxRemembered?: number
  /** For how long `createValidator` tries to read the keys before it rejects. At least 1. @default 30 */
  startTimeoutSeconds?: number
  /**
   * Called if the feed or the keys could not be read, and once for a token whose issuer is spelt differently. What it
   * throws becomes a warning of the process. @default none
   */
  onError?: (error: unknown) => void
}

/** The checked options, with their defaults. */
export interface ValidatorSettings extends Required<Omit<ValidatorOptions, 'baseUrl'>> {
  /** Without a slash at its end */
  baseUrl: string
  accountId: string
  /** Undefined: it is found by discovery */
  keySetUrl: string | undefined
}

const issuerPattern =
  /^(?:(https?:\/\/.+)\/client\/account\/|urn:clientele:account:)([0-9a-f-]{36})$/

const names: Record<keyof ValidatorOptions, true> = {
  issuer: true,
  apiKey: true,
  baseUrl: true,
  maxStalenessSeconds: true,
  onStale: true,
  tokenTtlSeconds: true,
  maxRemembered: true,
  startTimeoutSeconds: true,
  onError: true,
}

/** @throws TypeError says which option is wrong */
export function readSettings(options: ValidatorOptions): ValidatorSettings {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('createValidator needs options: { issuer, apiKey }.')
  const unknown = Object.keys(options).find((name) => !(name in names))
  const missing = ['issuer', 'apiKey'].filter((name) => !(name in options))
  const also = missing.length === 0 ? '' : `, and ${missing.join(' and ')} is missing`
  if (unknown !== undefined)
    throw new TypeError(
      `${unknown} is not known${also}. Known names: ${Object.keys(names).join(', ')}.`,
    )
  const { issuer, apiKey, maxStalenessSeconds = 10, tokenTtlSeconds = 7200 } = options
  const { onStale = 'remote', maxRemembered = 10_000, onError = () => {} } = options
  const { startTimeoutSeconds = 30 } = options
  const [, publicUrl, accountId] = issuerPattern.exec(issuer) ?? []
  if (accountId === undefined)
    throw new TypeError(
      'issuer must be the issuer of an account, <publicUrl>/client/account/<account id>, without a slash at its end.',
    )
  if (apiKey === '') throw new TypeError('apiKey must be an API key of the account.')
  const baseUrl = (options.baseUrl ?? publicUrl)?.replace(/\/+$/, '')
  if (baseUrl === undefined) throw new TypeError('baseUrl is needed: the issuer is no URL.')
  const { protocol, username, password, search, hash } = Object(URL.parse(baseUrl))
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError(
      'baseUrl must be an http or https URL without user name, password, query and fragment.',
    )
  if (!['remote', 'reject', 'accept'].includes(onStale))
    throw new TypeError('onStale must be remote, reject or accept.')
  if (typeof onError !== 'function') throw new TypeError('onError must be a function.')
  for (const [name, value] of Object.entries({
    maxStalenessSeconds,
    tokenTtlSeconds,
    maxRemembered,
    startTimeoutSeconds,
  }))
    if (!(value >= 1 && value <= 1_000_000)) throw new TypeError(`${name} must be 1 to 1,000,000.`)
  const accountUrl = `${baseUrl}/client/account/${accountId}`
  return {
    issuer,
    apiKey,
    baseUrl,
    accountId,
    keySetUrl: options.baseUrl === undefined ? undefined : `${accountUrl}/.well-known/jwks.json`,
    maxStalenessSeconds,
    onStale,
    tokenTtlSeconds,
    maxRemembered,
    startTimeoutSeconds,
    onError: (error) => callHost(onError, error),
  }
}

/** What the host's function throws, or rejects with, is a warning: it must not end the reading of the feed. */
function callHost(onError: (error: unknown) => unknown, error: unknown): void {
  new Promise((resolve) => resolve(onError(error))).catch((thrown: unknown) =>
    process.emitWarning(`onError of createValidator fails: ${inspect(thrown)}`, {
      code: 'CLIENTELE_VALIDATOR_ON_ERROR',
    }),
  )
}
