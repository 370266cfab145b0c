/** Round values for the lines of a chart, from 0 to the first that is not below `highest`: about four steps. */
export function makeTicks(highest: number): number[] {
  const rough = Math.max(highest, 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((it) => it >= rough) ?? 1)
  const count = Math.ceil(Math.max(highest, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The same for a chart of changes: the axis starts at a round value below the lowest. */
export function makeTicksAround(lowest: number, highest: number): number[] {
  if (lowest < highest / 2) return makeTicks(highest)
  const steps = makeTicks(Math.max(highest - lowest, 4))
  const step = (steps[1] ?? 1) - (steps[0] ?? 0)
  const first = Math.floor(lowest / step) * step
  const count = Math.max(1, Math.ceil((highest - first) / step))
  return Array.from({ length: count + 1 }, (_, index) => first + index * step)
}

/** The days with a label: the last one, and earlier ones at equal steps, as many as fit. */
export function pickLabels(count: number, widthPx: number, labelWidthPx = 64): number[] {
  const room = Math.max(2, Math.floor(widthPx / labelWidthPx))
  const every = Math.max(1, Math.ceil(count / room))
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  )
}
