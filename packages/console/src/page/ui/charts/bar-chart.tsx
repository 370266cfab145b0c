import type { JSX } from 'preact'
import { ChartFrame, type Plot } from './chart-frame.tsx'
import { makeTicks } from './scale.ts'
import type { Series } from './series.ts'

/** Draws two counts per day as stacked bars; the second one is striped. */
export function BarChart({
  title,
  days,
  series,
}: {
  title: string
  days: readonly string[]
  series: readonly [Series, Series]
}): JSX.Element {
  const [lower, upper] = series
  const sums = lower.values.map((value, index) => value + (upper.values[index] ?? 0))
  return (
    <ChartFrame
      title={title}
      days={days}
      series={series}
      ticks={makeTicks(Math.max(...sums))}
      draw={(plot) => (
        <>
          <pattern
            id="chart-stripes"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class="chart-stripe-ground" width="6" height="6" />
            <rect class="chart-stripe" width="2.500" height="6" />
          </pattern>
          {days.map((day, index) => (
            <Bar
              key={day}
              plot={plot}
              index={index}
              lower={lower.values[index] ?? 0}
              upper={upper.values[index] ?? 0}
            />
          ))}
        </>
      )}
    />
  )
}

const gapPx = 1.5

function Bar({
  plot: { xOf, yOf, stepPx, active },
  index,
  lower,
  upper,
}: {
  plot: Plot
  index: number
  lower: number
  upper: number
}): JSX.Element {
  const width = Math.min(28, Math.max(stepPx * 0.68, 1.5))
  const x = xOf(index) - width / 2
  const isFaint = active !== undefined && active !== index
  const lowerPx = yOf(0) - yOf(lower)
  const upperPx = yOf(0) - yOf(upper)
  const gap = lower > 0 && upper > 0 ? gapPx : 0
  const radius = Math.min(3, width / 4)
  return (
    <g class={isFaint ? 'chart-bar faint' : 'chart-bar'}>
      {lower > 0 && (
        <rect class="first" {...{ x, width }} y={yOf(lower)} height={lowerPx} rx={radius} />
      )}
      {upper > 0 && (
        <rect
          {...{ x, width }}
          y={yOf(lower) - gap - upperPx}
          height={Math.max(upperPx, 1.5)}
          rx={radius}
          fill="url(#chart-stripes)"
        />
      )}
    </g>
  )
}
