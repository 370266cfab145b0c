import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'

const t = english.words

/** A list of short texts: Enter adds one, and so does leaving the field, so that nothing typed is lost. */
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
  const [typed, setTyped] = useState('')
  const add = () => {
    const text = typed.trim()
    setTyped('')
    if (text !== '' && !values.includes(text)) onValues([...values, text])
  }
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(control) => (
        <div class="list-field">
          {values.length > 0 && (
            <ul class="row">
              {values.map((value) => (
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
              value={typed}
              placeholder={placeholder}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
              onBlur={add}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || typed.trim() === '') return
                event.preventDefault()
                add()
              }}
            />
            {typed.trim() !== '' && <Button onClick={add}>{t.add}</Button>}
          </div>
        </div>
      )}
    </Field>
  )
}
