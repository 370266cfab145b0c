import type { ComponentChildren, JSX } from 'preact'

/** A state in a word. The colour says nothing that the word does not. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'good' | 'warn' | 'bad' | 'accent'
  children: ComponentChildren
}): JSX.Element {
  return <span class={`badge ${kind}`}>{children}</span>
}
