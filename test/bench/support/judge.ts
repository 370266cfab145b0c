import { medianRatio, report } from './report.ts'

/** How far below its target a ratio may lie: machines differ from run to run. */
const slack = 0.15

const missed: string[] = []

/** Reports a ratio that has to reach a target; one that lies more than 15 % below it is remembered. */
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
  if (ratio < atLeast * (1 - slack)) {
    missed.push(`${work}, beside ${otherName}: ${ratio.toFixed(2)} of at least ${atLeast}`)
  }
}

/** @throws Error that names what was missed */
export function assertNoneMissed(): void {
  if (missed.length > 0) throw new Error(`Slower than allowed:\n${missed.join('\n')}`)
}
