import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { TypesField } from './types-field.tsx'
import type { WebhookDraft } from './webhook-draft.ts'

const t = english.webhooks.form

/** The form for an endpoint, for creation and for changes. */
export function WebhookFormDialog({
  title,
  verb,
  draft: before,
  act,
  onClose,
}: {
  title: string
  verb: string
  draft: WebhookDraft
  /** The action for the values; the dialog stays open until it succeeds */
  act: (draft: WebhookDraft) => Promise<unknown>
  onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(before)
  const { run, isRunning, problem } = useAction(act)
  const change = (changes: Partial<WebhookDraft>) => setDraft({ ...draft, ...changes })
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(draft)
        }}
      >
        <div class="dialog-body">
          <TextField
            label={t.url}
            hint={t.urlHint}
            type="url"
            placeholder="https://example.com/webhooks"
            value={draft.url}
            onValue={(url) => change({ url })}
            issue={problem?.issueOf('url')}
            autocomplete="off"
            spellcheck={false}
            required
            autofocus
          />
          <TextField
            label={t.description}
            placeholder={t.descriptionHint}
            value={draft.description}
            onValue={(description) => change({ description })}
            issue={problem?.issueOf('description')}
          />
          <TypesField
            types={draft.types}
            issue={problem?.issueOf('types')}
            onTypes={(types) => change({ types })}
          />
          <ProblemNotice problem={problem} />
        </div>
        <footer>
          <Button onClick={onClose}>{english.words.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={isRunning}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
