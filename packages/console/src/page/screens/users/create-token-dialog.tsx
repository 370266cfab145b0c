import type { CreatedUserToken } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { type Choice, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'

const t = english.user.tokens
const day = 86_400
type Life = 'never' | '30' | '90' | '365'

const lives: readonly Choice<Life>[] = [
  { value: '90', label: english.keys.inDays(90) },
  { value: '30', label: english.keys.inDays(30) },
  { value: '365', label: english.keys.inDays(365) },
  { value: 'never', label: english.words.never },
]

export function CreateTokenDialog({
  path,
  onMade,
  onClose,
}: {
  path: string
  onMade: () => void
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState('')
  const [life, setLife] = useState<Life>('90')
  const [token, setToken] = useState<string>()
  const action = useAction(async () => {
    const { data } = await request<CreatedUserToken>(path, {
      method: 'POST',
      accountId,
      body: {
        name,
        scopes: scopes.split(/\s+/).filter((scope) => scope !== ''),
        expires_in: life === 'never' ? null : Number(life) * day,
      },
    })
    setToken(data.token)
    onMade()
  })
  if (token !== undefined)
    return <SecretDialog title={t.made} secret={token} about={t.secretAbout} onClose={onClose} />
  const { problem } = action
  return (
    <FormDialog
      title={t.create}
      verb={t.create}
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label={english.keys.name}
        hint={t.nameHint}
        value={name}
        onValue={setName}
        issue={problem?.issueOf('name')}
        autocomplete="off"
        autofocus
        required
      />
      <TextField
        label={t.scopes}
        hint={t.scopesHint}
        value={scopes}
        onValue={setScopes}
        issue={problem?.issueOf('scopes')}
        autocomplete="off"
      />
      <SelectField label={english.keys.expires} value={life} choices={lives} onValue={setLife} />
    </FormDialog>
  )
}
