import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { pickChanges } from '../../api/pick-changes.ts'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { PasskeySettings, PasskeySettingsAnswer } from './passkey-settings.ts'

const t = english.settings
const none: PasskeySettings = { rp_id: '', rp_name: '', origins: [], require_token: false }

export function SettingsForm({
  settings,
  onSaved,
}: {
  settings: PasskeySettings | null
  onSaved: (saved: PasskeySettings | null) => void
}): JSX.Element {
  const accountId = useAccountId()
  const before = settings ?? none
  const [draft, setDraft] = useState<PasskeySettings>(before)
  const change = (changes: Partial<PasskeySettings>) => setDraft({ ...draft, ...changes })
  const save = async (force: boolean) => {
    const path = 'passkey-settings'
    // The server takes all members. Those that were not changed here are sent as they are by now.
    const { data: now } = await request<PasskeySettingsAnswer>(path, { accountId })
    const body = { ...(now.passkeys ?? none), ...pickChanges(before, draft), force }
    const { data } = await request<PasskeySettingsAnswer>(path, { method: 'PUT', accountId, body })
    // With what was typed since it was sent
    setDraft((typed) => ({ ...(data.passkeys ?? none), ...pickChanges(draft, typed) }))
    onSaved(data.passkeys)
    toast(english.words.saved)
  }
  const { run, isRunning, problem, clear } = useAction(() => save(false))
  // Passkeys are enrolled, and would stop working.
  const mustForce = problem?.code === 'passkeys_enrolled'
  return (
    <Card title={t.site}>
      <form
        class="stack narrow-form"
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <TextField
          label={t.rpId}
          hint={t.rpIdHint}
          placeholder="example.com"
          value={draft.rp_id}
          onValue={(rpId) => change({ rp_id: rpId })}
          issue={problem?.issueOf('rp_id')}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <TextField
          label={t.rpName}
          hint={t.rpNameHint}
          placeholder="Acme"
          value={draft.rp_name}
          onValue={(rpName) => change({ rp_name: rpName })}
          issue={problem?.issueOf('rp_name')}
          autocomplete="off"
          required
        />
        <ListField
          label={t.origins}
          hint={t.originsHint}
          placeholder={`https://${draft.rp_id || 'example.com'}`}
          values={draft.origins}
          onValues={(origins) => change({ origins })}
          issue={problem?.issueOf('origins')}
        />
        <CheckField
          label={t.requireToken}
          hint={t.requireTokenHint}
          checked={draft.require_token}
          onChecked={(requireToken) => change({ require_token: requireToken })}
        />
        {!mustForce && <ProblemNotice problem={problem} />}
        <div class="row">
          <Button type="submit" kind="primary" isBusy={isRunning}>
            {english.words.save}
          </Button>
        </div>
      </form>
      {mustForce && (
        <ConfirmDialog
          title={t.forceTitle}
          verb={t.force}
          typedName={draft.rp_id}
          act={() => save(true)}
          onClose={clear}
        >
          <p>{t.forceText(settings?.rp_id ?? '', draft.rp_id)}</p>
          <p>{t.forceSecond}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
