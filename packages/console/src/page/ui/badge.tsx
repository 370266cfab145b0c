import type { ComponentChildren, JSX } from 'preact'

/** Shows a state as one word. The colour only repeats the word. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'good' | 'warn' | 'bad' | 'accent'
  children: ComponentChildren
}): JSX.Element {
  return <span class={`badge ${kind}`}>{children}</span>
}
