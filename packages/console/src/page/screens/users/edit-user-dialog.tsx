import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Problem } from '../../api/problem.ts'
import { type Answer, request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { UserConflict } from './user-conflict.tsx'
import { findMetadataIssue, toDraft, toReplacement, type UserDraft } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

const t = english.user

/** Edits a user. If another person has changed it meanwhile, shows both versions side by side. */
export function EditUserDialog({
  accountId,
  user,
  etag,
  onSaved,
  onClose,
}: {
  accountId: string
  user: ClientUser
  etag: string | undefined
  onSaved: (answer: Answer<ClientUser>) => void
  onClose: () => void
}): JSX.Element {
  const path = `api/client/user/${user.id}`
  const [draft, setDraft] = useState(() => toDraft(user))
  const [metadataIssue, setMetadataIssue] = useState<string>()
  // The user from which the draft was made, and its version
  const [base, setBase] = useState({ draft: toDraft(user), etag })
  const [theirs, setTheirs] = useState<{ draft: UserDraft; etag: string | undefined }>()

  const save = useAction(async (wanted: UserDraft, version: string | undefined) => {
    try {
      const answer = await request<ClientUser>(path, {
        method: 'PUT',
        accountId,
        body: toReplacement(wanted),
        ...(version !== undefined && { headers: { 'if-match': version } }),
      })
      onSaved(answer)
      toast(english.words.saved)
      onClose()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'precondition_failed') throw error
      const { data, etag: newEtag } = await request<ClientUser>(path, { accountId })
      setTheirs({ draft: toDraft(data), etag: newEtag })
    }
  })

  if (theirs !== undefined) {
    return (
      <Dialog title={t.conflict.title} onClose={onClose} isWide>
        <UserConflict
          key={theirs.etag}
          base={base.draft}
          mine={draft}
          theirs={theirs.draft}
          problem={save.problem}
          isSaving={save.isRunning}
          onSave={(merged) => {
            setDraft(merged)
            setBase(theirs)
            save.run(merged, theirs.etag)
          }}
          onEdit={(merged) => {
            setDraft(merged)
            setBase(theirs)
            setTheirs(undefined)
            save.clear()
          }}
        />
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t.edit(user.name)}
      verb={english.words.save}
      action={save}
      onSubmit={() => {
        const issue = findMetadataIssue(draft.metadata)
        setMetadataIssue(issue)
        if (issue === undefined) save.run(draft, base.etag)
      }}
      onClose={onClose}
    >
      <UserFields
        draft={draft}
        onDraft={setDraft}
        problem={save.problem}
        metadataIssue={metadataIssue}
        isNew={false}
      />
    </FormDialog>
  )
}
