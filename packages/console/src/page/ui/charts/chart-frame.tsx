import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatDay, formatNumber } from '../format.ts'
import { ChartTable } from './chart-table.tsx'
import { pickLabels } from './scale.ts'
import type { Series } from './series.ts'
import { useWidth } from './use-width.ts'

/** The geometry of a drawing, in pixels. */
export interface Plot {
  /** The middle of a day */
  xOf: (index: number) => number
  yOf: (value: number) => number
  stepPx: number
  /** Where 0 is, or the lowest line */
  floorPx: number
  /** The selected day */
  active: number | undefined
}

const heightPx = 220
const [top, right, bottom] = [12, 10, 26]

/**
 * The lines and words of a chart of days, and the values of the selected day. The pointer selects it, or the
 * arrow keys on an invisible slider above the drawing.
 */
export function ChartFrame({
  title,
  days,
  series,
  ticks,
  draw,
}: {
  title: string
  /** `2026-11-22`, oldest first */
  days: readonly string[]
  series: readonly Series[]
  ticks: readonly number[]
  draw: (plot: Plot) => ComponentChildren
}): JSX.Element {
  const { ref, widthPx } = useWidth()
  const [pointed, setPointed] = useState<number>()
  const [chosen, setChosen] = useState(days.length - 1)
  const [hasFocus, setFocus] = useState(false)
  const index = Math.min(chosen, days.length - 1)
  const active = pointed ?? (hasFocus ? index : undefined)

  const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)]
  const left = 14 + 7.5 * Math.max(...ticks.map((tick) => formatNumber(tick).length))
  const innerPx = Math.max(widthPx - left - right, 1)
  const stepPx = innerPx / Math.max(days.length, 1)
  const floorPx = heightPx - bottom
  const xOf = (day: number) => left + stepPx * (day + 0.5)
  const yOf = (value: number) => floorPx - ((value - lowest) / (highest - lowest)) * (floorPx - top)
  const say = (day: number) =>
    `${formatDay(days[day] ?? '')}: ${series
      .map(({ label, values }) => `${label} ${formatNumber(values[day] ?? 0)}`)
      .join(', ')}`

  return (
    <figure class="chart">
      <Legend series={series} />
      <div
        ref={ref}
        class="chart-area"
        onPointerMove={({ offsetX }) =>
          setPointed(Math.min(days.length - 1, Math.max(0, Math.floor((offsetX - left) / stepPx))))
        }
        onPointerLeave={() => setPointed(undefined)}
      >
        <svg width={widthPx} height={heightPx} aria-hidden="true" focusable="false">
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                class="chart-line"
                x1={left}
                x2={widthPx - right}
                y1={yOf(tick)}
                y2={yOf(tick)}
              />
              <text class="chart-word end" x={left - 8} y={yOf(tick) + 4}>
                {formatNumber(tick)}
              </text>
            </g>
          ))}
          {pickLabels(days.length, innerPx).map((day) => (
            <text
              key={day}
              class={
                day === days.length - 1 && stepPx < 50 ? 'chart-word end' : 'chart-word middle'
              }
              x={day === days.length - 1 && stepPx < 50 ? widthPx - 2 : xOf(day)}
              y={heightPx - 6}
            >
              {formatDay(days[day] ?? '')}
            </text>
          ))}
          {active !== undefined && (
            <line class="chart-cursor" x1={xOf(active)} x2={xOf(active)} y1={top} y2={floorPx} />
          )}
          {widthPx > 0 && draw({ xOf, yOf, stepPx, floorPx, active })}
        </svg>
        <input
          type="range"
          min={0}
          max={days.length - 1}
          step={1}
          value={index}
          aria-label={title}
          aria-valuetext={say(index)}
          onInput={(event) => setChosen(Number(event.currentTarget.value))}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
        />
        {active !== undefined && (
          <div
            class={active < days.length / 2 ? 'chart-tip' : 'chart-tip before'}
            style={{ left: `${xOf(active)}px` }}
            aria-hidden="true"
          >
            <strong>{formatDay(days[active] ?? '')}</strong>
            {series.map(({ label, look, values }) => (
              <span key={label}>
                <i class={`chart-key ${look}`} /> {label} <b>{formatNumber(values[active] ?? 0)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <ChartTable title={title} days={days} series={series} />
    </figure>
  )
}

function Legend({ series }: { series: readonly Series[] }): JSX.Element | null {
  if (series.length < 2) return null
  return (
    <ul class="chart-legend">
      {series.map(({ label, look }) => (
        <li key={label}>
          <i class={`chart-key ${look}`} aria-hidden="true" /> {label}
        </li>
      ))}
    </ul>
  )
}
