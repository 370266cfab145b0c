import type { JSX } from 'preact'
import type { Method } from './open-api.ts'

export function MethodBadge({ method }: { method: Method }): JSX.Element {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>
}
