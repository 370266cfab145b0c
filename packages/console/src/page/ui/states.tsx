import type { ComponentChildren, JSX } from 'preact'
import { english } from '../english.ts'
import { Icon, type IconName } from './icon.tsx'

/** The placeholder for an empty list. */
export function Empty({
  icon,
  title,
  children,
  actions,
}: {
  icon: IconName
  title: string
  children?: ComponentChildren
  actions?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <h2>{title}</h2>
      {children && <p class="muted">{children}</p>}
      {actions && <div class="row">{actions}</div>}
    </div>
  )
}

export function Loading(): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {english.words.loading}
    </div>
  )
}
