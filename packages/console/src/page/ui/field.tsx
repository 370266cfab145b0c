import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface Described {
  label: string
  /** The expected input, if the label is not enough */
  hint?: ComponentChildren
  /** The error of the input */
  issue?: string | undefined
}

interface Control {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A label, its control, a hint, and its error. */
export function Field({
  label,
  hint,
  issue,
  children,
}: Described & { children: (control: Control) => JSX.Element }): JSX.Element {
  const id = useId()
  const described = [hint && `${id}-hint`, issue && `${id}-issue`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': !!issue })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {issue && (
        <p class="issue" id={`${id}-issue`}>
          {issue}
        </p>
      )}
    </div>
  )
}

/** Further props of a text control. */
interface TextProps extends Described {
  value: string
  onValue: (value: string) => void
  placeholder?: string
  required?: boolean
  autofocus?: boolean
  readonly?: boolean
  autocomplete?: string
  spellcheck?: boolean
}

export function TextField({
  label,
  hint,
  issue,
  onValue,
  type = 'text',
  ...input
}: TextProps & {
  type?: 'text' | 'password' | 'email' | 'search' | 'url' | 'number' | 'datetime-local'
}): JSX.Element {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(control) => (
        <input
          // No role is set, and only roles tell the types apart for the compiler.
          type={type as 'text'}
          {...input}
          {...control}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function TextAreaField({
  label,
  hint,
  issue,
  onValue,
  ...input
}: TextProps & { rows?: number }): JSX.Element {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(control) => (
        <textarea
          spellcheck={false}
          rows={4}
          {...input}
          {...control}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export interface Choice<Value extends string = string> {
  value: Value
  label: string
}

export function SelectField<Value extends string>({
  label,
  hint,
  issue,
  value,
  choices,
  onValue,
}: Described & {
  value: Value
  choices: readonly Choice<Value>[]
  onValue: (value: Value) => void
}): JSX.Element {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = choices[currentTarget.selectedIndex]
            if (chosen !== undefined) onValue(chosen.value)
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  checked,
  onChecked,
}: {
  label: string
  hint?: string
  checked: boolean
  onChecked: (checked: boolean) => void
}): JSX.Element {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
