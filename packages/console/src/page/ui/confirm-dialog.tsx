import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { ProblemNotice } from './problem-notice.tsx'

/** Asks before an action that cannot be undone. If a name is given, the user has to type it. */
export function ConfirmDialog({
  title,
  children,
  verb,
  typedName,
  isDangerous = true,
  act,
  onClose,
}: {
  title: string
  children: ComponentChildren
  /** The text of the button */
  verb: string
  /** The text to type before the button works */
  typedName?: string
  isDangerous?: boolean
  act: () => Promise<unknown>
  onClose: () => void
}): JSX.Element {
  const [typed, setTyped] = useState('')
  const action = useAction(act)
  const isTyped = typedName === undefined || typed.trim() === typedName.trim()
  return (
    <Dialog title={title} onClose={onClose} isBusy={action.isRunning}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (isTyped && (await action.run())) onClose()
        }}
      >
        <div class="dialog-body">
          {children}
          {typedName !== undefined && (
            <TextField
              label={english.words.typeName(typedName)}
              value={typed}
              onValue={setTyped}
              autocomplete="off"
              spellcheck={false}
              autofocus
            />
          )}
          <ProblemNotice problem={action.problem} />
        </div>
        <footer>
          <Button disabled={action.isRunning} onClick={onClose}>
            {english.words.cancel}
          </Button>
          <Button
            type="submit"
            kind={isDangerous ? 'danger' : 'primary'}
            disabled={!isTyped}
            isBusy={action.isRunning}
          >
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
