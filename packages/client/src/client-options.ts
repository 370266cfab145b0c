export interface ClientOptions {
  /** Where Clientele is mounted: `https://api.example.com/api/v1` */
  baseUrl: string
  /** An API key of the account: `cu_live_…` */
  apiKey: string
  /** Sends a request in place of the platform's own fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  retry?: {
    /** How often a request is sent again, at most; 0 for never. @default 3 */
    count?: number
    /** The longest pause before that, in seconds. A `Retry-After` beyond it ends the call. @default 10 */
    maxDelaySeconds?: number
  }
  /** How long an answer may take, in seconds. The `wait` of an operation is added to it. @default 30 */
  timeoutSeconds?: number
}

export interface ClientSettings {
  /** Without a slash at its end */
  baseUrl: string
  apiKey: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  retryCount: number
  maxDelayMs: number
  timeoutMs: number
}

const maxCount = 100
/** A timer takes no more than 2^31 ms. */
const maxSeconds = 1_000_000

/** @throws TypeError when an option is wrong */
export function readSettings(options: ClientOptions): ClientSettings {
  refuseUnknown('createClient', options, ['baseUrl', 'apiKey', 'fetch', 'retry', 'timeoutSeconds'])
  const { baseUrl, apiKey, fetch: given, retry = {}, timeoutSeconds = 30 } = options
  refuseUnknown('retry', retry, ['count', 'maxDelaySeconds'])
  const { count = 3, maxDelaySeconds = 10 } = retry
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a text of visible ASCII characters, and not empty')
  }
  if (given !== undefined && typeof given !== 'function') {
    throw new TypeError('fetch must be a function')
  }
  if (!Number.isInteger(count)) throw new TypeError('retry.count must be a whole number')
  return {
    baseUrl: readBaseUrl(baseUrl),
    apiKey,
    // Not the function itself: some platforms take it for a method of globalThis.
    fetch: given ?? ((url, init) => fetch(url, init)),
    retryCount: readNumber('retry.count', count, 0, maxCount),
    maxDelayMs: readNumber('retry.maxDelaySeconds', maxDelaySeconds, 0, maxSeconds) * 1000,
    timeoutMs: readNumber('timeoutSeconds', timeoutSeconds, 0.001, maxSeconds) * 1000,
  }
}

function refuseUnknown(what: string, given: object, names: readonly string[]): void {
  const unknown = Object.keys(Object(given)).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${what} has no option ${unknown}: there are ${names.join(', ')}`)
}

function readBaseUrl(baseUrl: string): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http or https URL')
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must have no query, no fragment, and no user name or password')
  }
  return url.href.replace(/\/+$/, '')
}

function readNumber(name: string, value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value
  throw new TypeError(`${name} must be a number from ${least} to ${most}`)
}
