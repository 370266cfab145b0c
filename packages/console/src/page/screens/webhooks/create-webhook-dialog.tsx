import type { CreatedWebhook } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { newDraft } from './webhook-draft.ts'
import { WebhookFormDialog } from './webhook-form-dialog.tsx'

const t = english.webhooks

/** Creates an endpoint, shows its secret once, and opens the endpoint's screen. */
export function CreateWebhookDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const accountId = useAccountId()
  const [made, setMade] = useState<CreatedWebhook>()
  if (made !== undefined) {
    return (
      <SecretDialog
        title={t.made}
        secret={made.secret}
        about={t.secretAbout}
        onClose={() => {
          onClose()
          navigate(toHref(['a', accountId, 'webhooks', made.id]))
        }}
      />
    )
  }
  return (
    <WebhookFormDialog
      title={t.create}
      verb={t.create}
      draft={newDraft}
      act={async (body) => {
        const answer = await request<CreatedWebhook>('api/client/webhook', {
          method: 'POST',
          accountId,
          body,
        })
        setMade(answer.data)
      }}
      onClose={onClose}
    />
  )
}
