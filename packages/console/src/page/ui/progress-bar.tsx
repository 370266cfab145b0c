import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

/** Shows progress as a bar and as text. */
export function ProgressBar({
  label,
  value,
  max,
  children,
}: {
  label: string
  value: number
  max: number
  /** The progress in another unit */
  children?: ComponentChildren
}): JSX.Element {
  const id = useId()
  const percent = max === 0 ? 100 : Math.min(100, Math.floor((100 * value) / max))
  return (
    <div class="progress">
      <label for={id}>{label}</label>
      <span class="muted">
        {children} · {percent} %
      </span>
      <progress id={id} value={percent} max={100} />
    </div>
  )
}
