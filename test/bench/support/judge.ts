import { medianRatio, quietRatio, report } from './report.ts'

/** How far below its target, or below what is reached of it, a ratio may lie: machines differ from run to run. */
const slack = 0.15

/**
 * Targets that are missed, with the ratio that is reached, and the reason: the table says NO, and the guard fails when a
 * ratio falls further. An entry is removed once its target is met.
 */
const knownMisses: Record<string, { reached: number; reason: string }> = {
  'validation, SQLite, beside a constant': {
    reached: 0.39,
    reason:
      'A constant reads no body and knows no key, user or session. Most of the rest is Node reading a body and a longer head.',
  },
  'validation, SQLite, beside no access line': {
    reached: 0.89,
    reason: 'A line is 250 characters, made and written for each request.',
  },
  'replace, PostgreSQL, beside by hand': {
    reached: 0.6,
    reason:
      'The words of a name are written for searches, and users and events have ten indexes. By the clock: the disk decides too.',
  },
  'sign-in, beside bare argon2, 1 at once': {
    reached: 0.7,
    reason:
      'A sign-in also writes a session and an event, which are synced, and signs a token, while other threads hash: 3 to 5 ms, beside 6 to 13 of a hash. The faster a machine hashes, the lower is the ratio.',
  },
}

/** What was slower than allowed: its name, and a sentence */
const failures = new Map<string, string>()

interface Judged {
  /** Counted by CPU time */
  isByCpu?: boolean
  unit?: string
  /** A figure that says nothing on a machine that does other work is only reported. @default true */
  counts?: boolean
}

/** Reports a ratio that has to reach a target; one more than 15 % below it, or below a known miss, is a failure. */
export function judge(
  work: string,
  ours: readonly number[],
  otherName: string,
  other: readonly number[],
  atLeast: number,
  { isByCpu = false, unit = isByCpu ? '/CPU s' : '/s', counts = true }: Judged = {},
): void {
  report(work, ours, otherName, other, unit, { atLeast, isQuiet: isByCpu })
  const ratio = isByCpu ? quietRatio(ours, other) : medianRatio(ours, other)
  if (ratio >= atLeast || !counts) return
  const name = `${work}, beside ${otherName}`
  const known = knownMisses[name]
  const least = (known?.reached ?? atLeast) * (1 - slack)
  const missed = `${name}: ${ratio.toFixed(2)} of ${atLeast}`
  if (ratio < least) failures.set(name, `${missed}, at least ${least.toFixed(2)}`)
  else if (known) console.log(`missed: ${missed}. ${known.reason}`)
}

/** What was slower than allowed since the last call */
export function takeFailures(): Map<string, string> {
  const taken = new Map(failures)
  failures.clear()
  return taken
}
