import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { AccountDraft } from './account-draft.ts'

const t = english.accounts

/** The form for an account, for creation and for changes. */
export function AccountFormDialog({
  title,
  verb,
  draft: before,
  act,
  onClose,
}: {
  title: string
  verb: string
  draft: AccountDraft
  /** The action for the values; the dialog stays open until it succeeds */
  act: (draft: AccountDraft) => Promise<unknown>
  onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(before)
  const action = useAction(act)
  const { problem } = action
  const change = (changes: Partial<AccountDraft>) => setDraft({ ...draft, ...changes })
  const issueOf = (member: string, taken: string) =>
    problem?.code === taken ? problem.message : problem?.issueOf(member)
  return (
    <FormDialog
      title={title}
      verb={verb}
      action={action}
      onSubmit={() => {
        action.run(draft)
      }}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        value={draft.name}
        onValue={(name) => change({ name })}
        issue={problem?.issueOf('name')}
        autocomplete="off"
        autofocus
        required
      />
      <TextField
        label={t.slug}
        hint={t.slugHint}
        value={draft.slug}
        onValue={(slug) => change({ slug })}
        issue={issueOf('slug', 'slug_taken')}
        autocomplete="off"
        spellcheck={false}
      />
      <TextField
        label={t.externalId}
        hint={t.externalIdHint}
        value={draft.externalId}
        onValue={(externalId) => change({ externalId })}
        issue={issueOf('external_id', 'external_id_taken')}
        autocomplete="off"
        spellcheck={false}
      />
    </FormDialog>
  )
}
