import type { JSX } from 'preact'
import { TextField } from './field.tsx'
import { useTypedText } from './use-typed-text.ts'

/** A field for what to look for. `onText` gets the text when the typing pauses. */
export function SearchField({
  label,
  hint,
  text,
  onText,
  issue,
}: {
  label: string
  /** Shown while the field is empty */
  hint: string
  text: string
  onText: (text: string) => void
  issue?: string | undefined
}): JSX.Element {
  const [typed, setTyped] = useTypedText(text, onText)
  return (
    <TextField
      label={label}
      type="search"
      placeholder={hint}
      value={typed}
      onValue={setTyped}
      issue={issue}
      autocomplete="off"
      spellcheck={false}
    />
  )
}
