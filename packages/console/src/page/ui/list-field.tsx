import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'

const t = english.words

/**
 * A list of short texts: pressing Enter or leaving the field adds one. The list includes unfinished input, so a click on a
 * button right after typing loses nothing, and the button does not move away from the pointer.
 */
export function ListField({
  label,
  hint,
  issue,
  placeholder,
  values,
  onValues,
}: {
  label: string
  hint?: string
  issue?: string | undefined
  placeholder?: string
  values: readonly string[]
  onValues: (values: string[]) => void
}): JSX.Element {
  const [typing, setTyping] = useState({ text: '', isLast: false })
  const isCounted = typing.isLast && values.at(-1) === typing.text.trim()
  const added = isCounted ? values.slice(0, -1) : values
  const type = (text: string) => {
    const value = text.trim()
    const isLast = value !== '' && !added.includes(value)
    setTyping({ text, isLast })
    onValues(isLast ? [...added, value] : [...added])
  }
  const add = () => setTyping({ text: '', isLast: false })
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(control) => (
        <div class="list-field">
          {added.length > 0 && (
            <ul class="row">
              {added.map((value) => (
                <li key={value} class="chip">
                  {value}
                  <button
                    type="button"
                    aria-label={t.remove(value)}
                    onClick={() => onValues(values.filter((one) => one !== value))}
                  >
                    <Icon name="close" size={12} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <div class="row">
            <input
              {...control}
              class="grow"
              value={typing.text}
              placeholder={placeholder}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => type(event.currentTarget.value)}
              onBlur={({ relatedTarget }) => {
                if (!(relatedTarget instanceof HTMLButtonElement)) add()
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || typing.text.trim() === '') return
                event.preventDefault()
                add()
              }}
            />
            {typing.text.trim() !== '' && <Button onClick={add}>{t.add}</Button>}
          </div>
        </div>
      )}
    </Field>
  )
}
