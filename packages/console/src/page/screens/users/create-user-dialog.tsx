import type { ClientUser } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { english } from '../../english.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { emptyDraft, findMetadataIssue, toNewUser } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

const t = english.users

export function CreateUserDialog({
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
    const body = toNewUser(draft)
    const { data } = await request<ClientUser>('api/client/user', {
      method: 'POST',
      accountId,
      body,
      headers: { 'idempotency-key': keyOf(body) },
    })
    toast(t.made(data.name))
    navigate(toHref(['a', accountId, 'users', data.id]))
  })
  return (
    <Dialog title={t.create} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const issue = findMetadataIssue(draft.metadata)
          setMetadataIssue(issue)
          if (issue === undefined) action.run()
        }}
      >
        <div class="dialog-body">
          <UserFields
            draft={draft}
            onDraft={setDraft}
            problem={action.problem}
            metadataIssue={metadataIssue}
            isNew
          />
          <ProblemNotice problem={action.problem} />
        </div>
        <footer>
          <Button onClick={onClose}>{english.words.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={action.isRunning}>
            {t.create}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
