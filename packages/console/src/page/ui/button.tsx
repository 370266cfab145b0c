import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps {
  children: ComponentChildren
  /** `primary`: the main action here; `danger`: cannot be undone. @default 'plain' */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  icon?: IconName
  /** Shows only the icon; the words are for screen readers */
  isIconOnly?: boolean
  /** The action is running */
  isBusy?: boolean
  /** @default 'button' */
  type?: 'button' | 'submit'
  disabled?: boolean
  onClick?: () => void
  'aria-pressed'?: boolean
  'aria-expanded'?: boolean
  'aria-controls'?: string
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, kind = 'plain', icon, isIconOnly = false, isBusy = false } = props
  const { type = 'button', disabled = false, onClick, ...aria } = props
  return (
    <button
      {...pickAria(aria)}
      type={type}
      class={`button ${kind}${isIconOnly ? ' icon-only' : ''}`}
      // A busy button keeps the keyboard focus.
      aria-disabled={disabled || isBusy}
      aria-busy={isBusy}
      title={isIconOnly && typeof children === 'string' ? children : undefined}
      onClick={(event) => {
        if (!disabled && !isBusy) return onClick?.()
        event.preventDefault()
      }}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      <span class={isIconOnly ? 'visually-hidden' : undefined}>{children}</span>
    </button>
  )
}

/** A link that looks like a button. */
export function LinkButton({
  href,
  children,
  kind = 'plain',
  icon,
}: Pick<ButtonProps, 'children' | 'kind' | 'icon'> & { href: string }): JSX.Element {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}

function pickAria(props: object): object {
  return Object.fromEntries(Object.entries(props).filter(([name]) => name.startsWith('aria-')))
}
