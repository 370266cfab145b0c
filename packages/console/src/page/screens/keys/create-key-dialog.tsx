import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import type { Scope } from '../../session/session.ts'
import { useAccountId } from '../../session/use-access.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { allScopes, type NewApiKey } from './api-key.ts'
import { type ExpiryChoice, expiryChoices, toExpiry } from './expiry.ts'

const t = english.keys

export function CreateKeyDialog({
  onMade,
  onClose,
}: {
  onMade: () => void
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['users:read', 'tokens:validate'])
  const [expiry, setExpiry] = useState<ExpiryChoice>('never')
  const [day, setDay] = useState('')
  const [isDayMissing, setDayMissing] = useState(false)
  const [made, setMade] = useState<NewApiKey>()
  const action = useAction(async () => {
    const { data } = await request<NewApiKey>('api-keys', {
      method: 'POST',
      accountId,
      body: { name, scopes, expires_at: toExpiry(expiry, day) },
    })
    setMade(data)
    onMade()
  })
  if (made !== undefined) {
    return (
      <SecretDialog title={t.made} secret={made.api_key} about={t.secretAbout} onClose={onClose} />
    )
  }
  const { problem } = action
  return (
    <FormDialog
      title={t.create}
      verb={t.create}
      action={action}
      onSubmit={() => {
        const isMissing = expiry === 'date' && day === ''
        setDayMissing(isMissing)
        if (!isMissing) action.run()
      }}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        onValue={setName}
        issue={problem?.issueOf('name')}
        autocomplete="off"
        autofocus
        required
      />
      <fieldset class="choice">
        <legend>{t.scopes}</legend>
        <div class="checks">
          {allScopes.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              hint={t.scopeHints[scope]}
              checked={scopes.includes(scope)}
              onChecked={(isChecked) =>
                setScopes(
                  allScopes.filter((one) => (one === scope ? isChecked : scopes.includes(one))),
                )
              }
            />
          ))}
        </div>
        {problem?.issueOf('scopes') && <p class="issue">{problem.issueOf('scopes')}</p>}
      </fieldset>
      <div class="pair">
        <SelectField label={t.expires} value={expiry} choices={expiryChoices} onValue={setExpiry} />
        {expiry === 'date' && (
          <TextField
            label={t.expiresAt}
            type="datetime-local"
            value={day}
            onValue={setDay}
            issue={isDayMissing ? t.dayMissing : problem?.issueOf('expires_at')}
            required
          />
        )}
      </div>
    </FormDialog>
  )
}
