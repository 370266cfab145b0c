import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

/** A part of a screen with its own heading. */
export function Card({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}): JSX.Element {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
