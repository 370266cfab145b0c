import type { ComponentChildren, JSX } from 'preact'
import type { Action } from '../api/use-action.ts'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemNotice } from './problem-notice.tsx'

/** A dialog with a form: its fields, the problem of its action, and the buttons that cancel and submit. */
export function FormDialog({
  title,
  verb,
  action: { isRunning, problem },
  onSubmit,
  onClose,
  children,
  isWide = false,
  checksInBrowser = false,
}: {
  title: string
  verb: string
  action: Pick<Action<never>, 'isRunning' | 'problem'>
  onSubmit: () => void
  onClose: () => void
  children: ComponentChildren
  isWide?: boolean
  /** The browser says what is missing, and submits nothing before */
  checksInBrowser?: boolean
}): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide} isBusy={isRunning}>
      <form
        noValidate={!checksInBrowser}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <div class="dialog-body">
          {children}
          <ProblemNotice problem={problem} />
        </div>
        <footer>
          <Button disabled={isRunning} onClick={onClose}>
            {english.words.cancel}
          </Button>
          <Button type="submit" kind="primary" isBusy={isRunning}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
