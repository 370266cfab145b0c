import type { JSX } from 'preact'
import { english } from '../english.ts'
import icon from '../icon.svg'

export function Logo(): JSX.Element {
  return (
    <span class="logo">
      <img src={icon} alt="" width="26" height="26" /> {english.product}
    </span>
  )
}
