import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { english } from '../../english.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { emptyDraft, findMetadataIssue, toInvitedUser } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

const t = english.users

/** Creates a user who sets their own password, and mails them how. */
export function InviteUserDialog({
  accountId,
  onClose,
}: {
  accountId: string
  onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState(emptyDraft)
  const [metadataIssue, setMetadataIssue] = useState<string>()
  const keyOf = useIdempotencyKey()
  const action = useAction(async () => {
    const body = toInvitedUser(draft)
    const { data } = await request<ClientUser>('api/client/user/invite', {
      method: 'POST',
      accountId,
      body,
      headers: { 'idempotency-key': keyOf(body) },
    })
    toast(t.invited(data.email))
    navigate(toHref(['a', accountId, 'users', data.id]))
  })
  return (
    <FormDialog
      title={t.invite}
      verb={t.invite}
      action={action}
      onSubmit={() => {
        const issue = findMetadataIssue(draft.metadata)
        setMetadataIssue(issue)
        if (issue === undefined) action.run()
      }}
      onClose={onClose}
    >
      <p class="muted">{t.inviteText}</p>
      <UserFields
        draft={draft}
        onDraft={setDraft}
        problem={action.problem}
        metadataIssue={metadataIssue}
        isInvited
      />
    </FormDialog>
  )
}
