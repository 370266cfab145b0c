import { isSecret, secretRule } from '@clientele/core/database-url'

// Parsers of environment variables. Each throws an Error whose message says what the variable
// must be, and never repeats the value: it may be a secret.

/** A whole number, both bounds included. */
export function wholeNumber(
  least: number,
  most: number,
  unit?: 'seconds' | 'days',
): (text: string) => number {
  const what = unit === undefined ? 'a whole number' : `a whole number of ${unit}`
  return (text) => {
    const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new Error(`must be ${what} from ${least} to ${most}`)
  }
}

export function readFlag(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new Error('must be true or false')
}

export function oneOf<T extends string>(known: readonly T[]): (text: string) => T {
  return (text) => {
    const found = known.find((each) => each === text)
    if (found !== undefined) return found
    throw new Error(`must be one of ${known.join(', ')}`)
  }
}

/** A comma-separated list without empty entries. */
function readList(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (!entries.includes('')) return entries
  throw new Error('must be a comma-separated list without empty entries')
}

export function readSecrets(text: string): string[] {
  const secrets = readList(text)
  if (secrets.every(isSecret)) return secrets
  throw new Error(`${secretRule} (each secret of a list)`)
}

/** Where callers see the mount point. */
export function readPublicUrl(text: string): string {
  const { protocol = '', username, password, search, hash } = URL.parse(text) ?? {}
  if (/^https?:$/.test(protocol) && !(username || password || search || hash)) return text
  throw new Error(
    'must be an http or https URL without user, query and fragment: https://api.example.com/api/v1',
  )
}

export function readDatabaseUrl(text: string): string {
  if (/^(sqlite|postgres|postgresql):/.test(text)) return text
  throw new Error(
    'is not valid: it must begin with sqlite: or postgres://, as in sqlite:./data/users.sqlite',
  )
}
