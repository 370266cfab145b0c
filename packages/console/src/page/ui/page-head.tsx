import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { english } from '../english.ts'

/** The heading of a screen. It gets the focus when the screen opens, so that screen readers read it. */
export function PageHead({
  title,
  children,
  actions,
}: {
  title: string
  /** A sentence about the purpose of the screen */
  children?: ComponentChildren
  actions?: ComponentChildren
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  useEffect(() => {
    document.title = `${title} · ${english.product}`
  }, [title])
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {children && <p class="muted">{children}</p>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </header>
  )
}
