import { medianRatio, report } from './report.ts'

/** How far below its target a ratio may lie: machines differ from run to run. */
const slack = 0.15

/**
 * Targets that are not met yet, with the ratio that is reached: the guard keeps what there is, and its table still says NO.
 * An entry is removed once its target is met.
 */
const reached: Record<string, number> = {
  'validation, SQLite, beside better-auth': 30,
  'validation, SQLite, beside a constant': 0.28,
  'validation, SQLite, beside no access line': 0.78,
  'sign-in, beside bare argon2, 1 threads': 0.78,
}

const missed: string[] = []

/** Reports a ratio that has to reach a target; one more than 15 % below it, or below what was reached, is remembered. */
export function judge(
  work: string,
  ours: readonly number[],
  otherName: string,
  other: readonly number[],
  atLeast: number,
  unit = '/s',
): void {
  report(work, ours, otherName, other, unit, { atLeast })
  const ratio = medianRatio(ours, other)
  const name = `${work}, beside ${otherName}`
  const kept = Math.min(atLeast, reached[name] ?? atLeast)
  if (ratio < kept * (1 - slack)) missed.push(`${name}: ${ratio.toFixed(2)} of at least ${kept}`)
}

/** @throws Error that names what was missed */
export function assertNoneMissed(): void {
  if (missed.length > 0) throw new Error(`Slower than allowed:\n${missed.join('\n')}`)
}
