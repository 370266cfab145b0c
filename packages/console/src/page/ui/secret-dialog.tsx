import type { JSX } from 'preact'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { SecretOnce } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a secret once. Only the button closes the dialog, and the secret is then gone. */
export function SecretDialog({
  title,
  secret,
  about,
  onClose,
}: {
  title: string
  secret: string
  about: string
  onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={title}>
      <div class="dialog-body">
        <SecretOnce secret={secret} about={about} />
      </div>
      <footer>
        <Button kind="primary" onClick={onClose}>
          {english.words.kept}
        </Button>
      </footer>
    </Dialog>
  )
}
