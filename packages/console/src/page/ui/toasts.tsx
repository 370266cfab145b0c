import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from './icon.tsx'

const shownMs = 6_000

interface Toast {
  id: number
  text: string
}

const toasts = signal<readonly Toast[]>([])
let lastId = 0

/** Confirms an action by a message at the foot of the page. */
export function toast(text: string): void {
  const id = ++lastId
  toasts.value = [...toasts.value, { id, text }]
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id)
  }, shownMs)
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <p key={id}>
          <Icon name="check" /> {text}
        </p>
      ))}
    </div>
  )
}
