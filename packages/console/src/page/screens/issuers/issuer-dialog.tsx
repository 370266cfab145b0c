import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { Issuer } from './issuer.ts'
import {
  findKeysIssue,
  newIssuerDraft,
  toIssuerChanges,
  toIssuerDraft,
  toNewIssuer,
} from './issuer-draft.ts'
import { TokenFields, UserFields } from './issuer-fields.tsx'
import { IssuerKeyFields } from './issuer-key-fields.tsx'
import { SignInFields } from './sign-in-fields.tsx'

const t = english.issuers

/** Creates or changes an issuer. */
export function IssuerDialog({
  issuer,
  onSaved,
  onClose,
}: {
  /** Absent: the dialog creates an issuer */
  issuer?: Issuer
  onSaved: () => void
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const [draft, setDraft] = useState(() =>
    issuer === undefined ? newIssuerDraft : toIssuerDraft(issuer),
  )
  const [keysIssue, setKeysIssue] = useState<string>()
  const save = useAction(async () => {
    await (issuer === undefined
      ? request('issuers', { method: 'POST', accountId, body: toNewIssuer(draft) })
      : request(`issuers/${issuer.id}`, {
          method: 'PATCH',
          accountId,
          body: toIssuerChanges(draft, issuer),
        }))
    toast(english.words.saved)
    onSaved()
    onClose()
  })
  const part = {
    draft,
    change: (change: Partial<typeof draft>) => setDraft({ ...draft, ...change }),
    problem: save.problem,
  }
  return (
    <FormDialog
      title={issuer === undefined ? t.create : t.edit(issuer.issuer)}
      verb={issuer === undefined ? t.create : english.words.save}
      action={save}
      onSubmit={() => {
        const issue = findKeysIssue(draft)
        setKeysIssue(issue)
        if (issue === undefined) save.run()
      }}
      onClose={onClose}
      isWide
    >
      <TokenFields {...part} />
      <h3>{t.keysPart}</h3>
      <IssuerKeyFields
        {...part}
        keysIssue={keysIssue}
        keepsSecret={issuer?.key_source === 'shared_secret'}
      />
      <h3>{t.userPart}</h3>
      <UserFields {...part} />
      <h3>{t.signInPart}</h3>
      <SignInFields {...part} />
    </FormDialog>
  )
}
