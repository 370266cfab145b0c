import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
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
  const action = useAction(act)
  const { problem } = action
  const change = (changes: Partial<WebhookDraft>) => setDraft({ ...draft, ...changes })
  return (
    <FormDialog
      title={title}
      verb={verb}
      action={action}
      onSubmit={() => {
        action.run(draft)
      }}
      onClose={onClose}
      checksInBrowser
    >
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
    </FormDialog>
  )
}
