import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { type Choice, SelectField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import type { ApiKey, NewApiKey } from './api-key.ts'

const t = english.keys

type Overlap = '0' | '3600' | '86400' | '604800' | '2592000'
const overlaps: readonly Choice<Overlap>[] = [
  { value: '0', label: t.overlaps.none },
  { value: '3600', label: t.overlaps.hour },
  { value: '86400', label: t.overlaps.day },
  { value: '604800', label: t.overlaps.week },
  { value: '2592000', label: t.overlaps.month },
]

/** Replaces a key by a new one; the old key still works for a while. */
export function RotateKeyDialog({
  apiKey,
  onMade,
  onClose,
}: {
  apiKey: ApiKey
  onMade: () => void
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const [made, setMade] = useState<NewApiKey>()
  const action = useAction(async () => {
    const { data } = await request<NewApiKey>(`api-keys/${apiKey.id}/rotate`, {
      method: 'POST',
      accountId,
      body: { overlap_seconds: Number(overlap) },
    })
    setMade(data)
    onMade()
  })
  if (made !== undefined) {
    return (
      <SecretDialog
        title={t.made}
        secret={made.api_key}
        about={t.rotatedAbout(apiKey.name)}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      title={t.rotateTitle(apiKey.name)}
      verb={t.rotate}
      action={action}
      onSubmit={() => {
        action.run()
      }}
      onClose={onClose}
      checksInBrowser
    >
      <p>{t.rotateText}</p>
      <SelectField
        label={t.overlap}
        value={overlap}
        choices={overlaps}
        onValue={setOverlap}
        issue={action.problem?.issueOf('overlap_seconds')}
      />
    </FormDialog>
  )
}
