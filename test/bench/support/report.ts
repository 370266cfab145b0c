export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median of the ratios of a round's figures: what machines that change speed disturb least. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)))
}

/**
 * The ratio of the rounds that were disturbed least, for work by CPU time: what else runs on a machine makes the same work take
 * more of it, never less. Each figure is that above which a quarter of the rounds lie.
 */
export function quietRatio(ours: readonly number[], theirs: readonly number[]): number {
  return upperQuartile(ours) / upperQuartile(theirs)
}

function upperQuartile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => b - a)
  return sorted[sorted.length >> 2] ?? Number.NaN
}

export interface Row {
  work: string
  ours: string
  other: string
  ratio: number
  /** Empty where there is none */
  target: string
  met: string
}

const rows: Row[] = []

/**
 * Notes a comparison for the table at the end, and prints it at once.
 *
 * With `isQuiet` it goes by the rounds that were disturbed least, in the place of the median
 */
export function report(
  work: string,
  ours: readonly number[],
  otherName: string,
  other: readonly number[],
  unit: string,
  { atLeast, atMost, isQuiet }: { atLeast?: number; atMost?: number; isQuiet?: boolean },
): void {
  const [ratio, figureOf] = isQuiet
    ? [quietRatio(ours, other), upperQuartile]
    : [medianRatio(ours, other), median]
  const bounds: [target: string, met: boolean][] = []
  if (atLeast !== undefined) bounds.push([`≥ ${atLeast}`, ratio >= atLeast])
  if (atMost !== undefined) bounds.push([`≤ ${atMost}`, ratio <= atMost])
  const row = {
    work,
    ours: `${format(figureOf(ours))} ${unit}`,
    other: `${otherName} ${format(figureOf(other))} ${unit}`,
    ratio,
    target: bounds.map(([target]) => target).join(', '),
    met: bounds.map(([, met]) => (met ? 'yes' : 'NO')).join(', '),
  }
  rows.push(row)
  console.log(line(row))
}

export function printTable(): void {
  console.log('\n| work | Clientele | beside | ratio | target | met |\n|---|---|---|---|---|---|')
  for (const row of rows) console.log(line(row))
}

function line({ work, ours, other, ratio, target, met }: Row): string {
  return `| ${work} | ${ours} | ${other} | ${ratio.toFixed(2)} | ${target} | ${met} |`
}

function format(figure: number): string {
  if (figure >= 100) return Math.round(figure).toLocaleString('en')
  return figure.toPrecision(3)
}
