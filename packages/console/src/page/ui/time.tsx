import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { english } from '../english.ts'
import { formatAgo, formatTime } from './format.ts'

const stepMs = 15_000
/** The time that elements are drawn with; they are redrawn when it advances. */
const clock = signal(Date.now())
setInterval(() => {
  clock.value = Date.now()
}, stepMs)

/** Shows how long ago a time was; a tooltip has the exact time. */
export function Time({ at }: { at: string | null | undefined }): JSX.Element {
  if (at === null || at === undefined) return <span class="muted">{english.words.never}</span>
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(at, Math.max(clock.value, Date.now()))}
    </time>
  )
}
