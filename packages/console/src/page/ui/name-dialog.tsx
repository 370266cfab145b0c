import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { ProblemNotice } from './problem-notice.tsx'

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
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (await action.run(typed)) onClose()
        }}
      >
        <div class="dialog-body">
          <TextField
            label={label}
            value={typed}
            onValue={setTyped}
            issue={action.problem?.issueOf('name')}
            autocomplete="off"
            autofocus
            required
          />
          <ProblemNotice problem={action.problem} />
        </div>
        <footer>
          <Button onClick={onClose}>{english.words.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={action.isRunning}>
            {english.words.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
