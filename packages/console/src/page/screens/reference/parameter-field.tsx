import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { Parameter } from './open-api.ts'

const t = english.reference

/** A field for the value of a parameter, as text. */
export function ParameterField({
  parameter: { name, in: place, required = false, schema },
  value,
  onValue,
}: {
  parameter: Parameter
  value: string
  onValue: (value: string) => void
}): JSX.Element {
  const label = required ? name : t.optional(name)
  if (schema.enum) {
    const choices = schema.enum.map((one) => ({ value: String(one), label: String(one) }))
    return (
      <SelectField
        label={label}
        value={value}
        choices={[{ value: '', label: t.unset }, ...choices]}
        onValue={onValue}
      />
    )
  }
  const example = schema.examples?.[0] ?? schema.default
  return (
    <TextField
      label={label}
      value={value}
      onValue={onValue}
      // A missing path parameter would change the path.
      required={place === 'path'}
      autocomplete="off"
      spellcheck={false}
      {...(example !== undefined && { placeholder: String(example) })}
    />
  )
}
