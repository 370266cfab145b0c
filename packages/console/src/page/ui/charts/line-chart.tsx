import type { JSX } from 'preact'
import { ChartFrame, type Plot } from './chart-frame.tsx'
import { makeTicksAround } from './scale.ts'

/** Draws one value per day as a line, and fills the area below it. */
export function LineChart({
  title,
  label,
  days,
  values,
}: {
  title: string
  /** The name of the values */
  label: string
  days: readonly string[]
  values: readonly number[]
}): JSX.Element {
  const ticks = makeTicksAround(Math.min(...values), Math.max(...values))
  return (
    <ChartFrame
      title={title}
      days={days}
      series={[{ label, look: 'first', values }]}
      ticks={ticks}
      draw={(plot) => <Line plot={plot} values={values} />}
    />
  )
}

function Line({
  plot: { xOf, yOf, floorPx, active },
  values,
}: {
  plot: Plot
  values: readonly number[]
}): JSX.Element {
  const points = values.map((value, index) => `${xOf(index).toFixed(1)} ${yOf(value).toFixed(1)}`)
  const line = `M${points.join('L')}`
  const area = `${line}L${xOf(values.length - 1)} ${floorPx}L${xOf(0)} ${floorPx}Z`
  const value = active === undefined ? undefined : values[active]
  return (
    <>
      <linearGradient id="chart-fade" x1="0" y1="0" x2="0" y2="1">
        <stop class="chart-fade-from" offset="0" />
        <stop class="chart-fade-to" offset="1" />
      </linearGradient>
      <path class="chart-fill" d={area} fill="url(#chart-fade)" />
      <path class="chart-stroke" d={line} />
      {active !== undefined && value !== undefined && (
        <circle class="chart-dot" cx={xOf(active)} cy={yOf(value)} r="4.5" />
      )}
    </>
  )
}
