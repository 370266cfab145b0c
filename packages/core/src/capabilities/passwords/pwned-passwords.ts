import { createHash } from 'node:crypto'
import { readLimitedText } from '../../base/outbound/read-limited-text.ts'
import { consoleLogger, type Logger } from '../../base/runtime/logger.ts'

export interface PwnedPasswordsOptions {
  /** The URL of the ranges; the five characters are appended. @default 'https://api.pwnedpasswords.com/range/' */
  url?: string
  /** The timeout for an answer, in seconds. @default 2 */
  timeoutSeconds?: number
  /** A password that has appeared at least this often is refused. @default 1 */
  minCount?: number
  /** @default the global `fetch` */
  fetch?: typeof fetch
  /** Logs failed look-ups as warnings. @default warnings go to standard error */
  logger?: Logger
}

const prefixLength = 5
/** Padding adds up to 1,000 lines of about 40 bytes to a range. */
const maxAnswerBytes = 512 * 1024

/**
 * A ready-made `isBreached` for the password policy: queries Have I Been Pwned, or a mirror of it, for the range of
 * SHA-1 hashes with the same first five characters (k-anonymity). The password and its whole hash never leave the
 * process, and the answer is padded to hide its length.
 *
 * When the service does not answer, the password is accepted and a warning is logged: a failing third party must not
 * prevent users from setting passwords.
 *
 * @example
 * createClientele({ repository, passwords: { isBreached: pwnedPasswords() } })
 */
export function pwnedPasswords(
  options: PwnedPasswordsOptions = {},
): (password: string) => Promise<boolean> {
  const {
    url = 'https://api.pwnedpasswords.com/range/',
    timeoutSeconds = 2,
    minCount = 1,
    logger = consoleLogger,
  } = options
  return async (password) => {
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
    try {
      const response = await (options.fetch ?? fetch)(url + hash.slice(0, prefixLength), {
        headers: { 'add-padding': 'true', 'user-agent': 'clientele' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      })
      if (!response.ok) throw new Error(`The answer has the status ${response.status}.`)
      const range = await readLimitedText(response, maxAnswerBytes)
      return countIn(range, hash.slice(prefixLength)) >= minCount
    } catch (error) {
      // The error may contain the URL with the five characters: only its name is logged.
      const reason = error instanceof Error ? error.name : 'unknown'
      logger.warn(
        { reason },
        'A password was accepted without the check for breaches, which failed.',
      )
      return false
    }
  }
}

/** How often a hash was seen, according to a range; lines of padding have the count 0. */
function countIn(range: string, suffix: string): number {
  for (const line of range.split('\n')) {
    const [candidate, count] = line.trim().split(':')
    if (candidate?.toUpperCase() === suffix) return Number(count)
  }
  return 0
}
