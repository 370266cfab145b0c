import type { JSX } from 'preact'
import { Icon } from './icon.tsx'

/** A link from an item back to its list. */
export function BackLink({ href, label }: { href: string; label: string }): JSX.Element {
  return (
    <a class="back-link" href={href}>
      <Icon name="left" size={16} /> {label}
    </a>
  )
}
