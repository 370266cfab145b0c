import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { english } from '../english.ts'

/** The heading of a screen. It takes the keyboard when the screen comes, so that what is new is read out. */
export function PageHead({
  title,
  children,
  actions,
}: {
  title: string
  /** A sentence that says what the screen is for */
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
