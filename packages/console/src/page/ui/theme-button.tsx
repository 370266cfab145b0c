import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { english } from '../english.ts'
import { Button } from './button.tsx'

const storageName = 'clientele-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

type Theme = 'light' | 'dark'
const chosen = signal<Theme | undefined>(readChosen())
const system = signal<Theme>(dark.matches ? 'dark' : 'light')
dark.addEventListener('change', ({ matches }) => {
  system.value = matches ? 'dark' : 'light'
})
show()

/** Follows the system until the user chooses. */
export function ThemeButton(): JSX.Element {
  const isDark = (chosen.value ?? system.value) === 'dark'
  return (
    <Button
      kind="quiet"
      icon={isDark ? 'sun' : 'moon'}
      isIconOnly
      onClick={() => {
        chosen.value = isDark ? 'light' : 'dark'
        show()
        try {
          localStorage.setItem(storageName, chosen.value)
        } catch {
          // Without storage, the browser forgets the choice.
        }
      }}
    >
      {isDark ? english.shell.light : english.shell.dark}
    </Button>
  )
}

function readChosen(): Theme | undefined {
  try {
    const kept = localStorage.getItem(storageName)
    return kept === 'light' || kept === 'dark' ? kept : undefined
  } catch {
    return undefined
  }
}

function show(): void {
  if (chosen.value !== undefined) document.documentElement.dataset.theme = chosen.value
}
