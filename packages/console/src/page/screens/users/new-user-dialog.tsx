import type { ClientUser, CreateUser, InviteUser } from '@clientele/client'
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { emptyDraft, findMetadataIssue, type UserDraft } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

/** Asks for a user, sends it, and then shows the user's page. */
export function NewUserDialog({
  accountId,
  path,
  title,
  toBody,
  toMessage,
  isInvited = false,
  onClose,
  children,
}: {
  accountId: string
  path: string
  title: string
  toBody: (draft: UserDraft) => CreateUser | InviteUser
  toMessage: (user: ClientUser) => string
  isInvited?: boolean
  onClose: () => void
  children?: ComponentChildren
}): JSX.Element {
  const [draft, setDraft] = useState(emptyDraft)
  const [metadataIssue, setMetadataIssue] = useState<string>()
  const keyOf = useIdempotencyKey()
  const action = useAction(async () => {
    const body = toBody(draft)
    const { data } = await request<ClientUser>(path, {
      method: 'POST',
      accountId,
      body,
      headers: { 'idempotency-key': keyOf(body) },
    })
    toast(toMessage(data))
    navigate(toHref(['a', accountId, 'users', data.id]))
  })
  return (
    <FormDialog
      title={title}
      verb={title}
      action={action}
      onSubmit={() => {
        const issue = findMetadataIssue(draft.metadata)
        setMetadataIssue(issue)
        if (issue === undefined) action.run()
      }}
      onClose={onClose}
    >
      {children}
      <UserFields
        draft={draft}
        onDraft={setDraft}
        problem={action.problem}
        metadataIssue={metadataIssue}
        isNew={!isInvited}
        isInvited={isInvited}
      />
    </FormDialog>
  )
}
