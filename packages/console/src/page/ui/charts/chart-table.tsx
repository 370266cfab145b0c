import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { formatDay, formatNumber } from '../format.ts'
import type { Series } from './series.ts'

/** The figures of a chart as a table. */
export function ChartTable({
  title,
  days,
  series,
}: {
  title: string
  days: readonly string[]
  series: readonly Series[]
}): JSX.Element {
  return (
    <details class="chart-table">
      <summary>{english.charts.asTable}</summary>
      <div class="scroll">
        <table>
          <caption class="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{english.charts.day}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col" class="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{formatDay(day)}</th>
                {series.map(({ label, values }) => (
                  <td key={label} class="number">
                    {formatNumber(values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
