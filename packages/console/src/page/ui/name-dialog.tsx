import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { english } from '../english.ts'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

/** Asks for a name. */
export function NameDialog({
  title,
  label,
  name,
  act,
  onClose,
}: {
  title: string
  label: string
  /** The present name */
  name: string
  act: (name: string) => Promise<unknown>
  onClose: () => void
}): JSX.Element {
  const [typed, setTyped] = useState(name)
  const action = useAction(act)
  return (
    <FormDialog
      title={title}
      verb={english.words.save}
      action={action}
      onSubmit={async () => {
        if (await action.run(typed)) onClose()
      }}
      onClose={onClose}
    >
      <TextField
        label={label}
        value={typed}
        onValue={setTyped}
        issue={action.problem?.issueOf('name')}
        autocomplete="off"
        autofocus
        required
      />
    </FormDialog>
  )
}
