import type { JSX } from 'preact'
import type { Choice } from './field.tsx'

/** A choice between a few options, all visible. */
export function Segments<Value extends string>({
  label,
  value,
  choices,
  onValue,
}: {
  label: string
  value: Value
  choices: readonly Choice<Value>[]
  onValue: (value: Value) => void
}): JSX.Element {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  )
}
