import type { Webhook } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { pickChanges } from '../../api/pick-changes.ts'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatTime } from '../../ui/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { AttemptsCard } from './attempts-card.tsx'
import { byId, useWebhookHealth } from './use-webhook-health.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { toDraft } from './webhook-draft.ts'
import { WebhookFormDialog } from './webhook-form-dialog.tsx'
import { Types, WebhookState } from './webhooks-table.tsx'

const t = english.webhooks

/** One endpoint: its event types, its deliveries, and its actions. */
export function WebhookScreen({ id }: { id: string }): JSX.Element {
  const accountId = useAccountId()
  const path = `api/client/webhook/${encodeURIComponent(id)}`
  const resource = useResource<Webhook>(path, { accountId })
  const { data: webhook, set } = resource
  const [edited, setEdited] = useState<Webhook>()
  const patch = async (body: object) =>
    set(await request<Webhook>(path, { method: 'PATCH', accountId, body }))
  const toggle = useAction(() => patch({ is_active: !webhook?.is_active }))
  return (
    <>
      <BackLink href={toHref(['a', accountId, 'webhooks'])} label={t.title} />
      <PageHead
        title={webhook?.url ?? t.title}
        actions={
          webhook && (
            <>
              <Button
                icon={webhook.is_active ? 'pause' : 'play'}
                isBusy={toggle.isRunning}
                onClick={() => toggle.run()}
              >
                {webhook.is_active ? t.turnOff : t.turnOn}
              </Button>
              <Button icon="edit" onClick={() => setEdited(webhook)}>
                {english.words.edit}
              </Button>
            </>
          )
        }
      >
        {webhook?.description}
      </PageHead>
      <div class="stack">
        <ProblemNotice problem={toggle.problem} />
        <Loaded resource={resource}>
          {(found) => (
            <>
              {found.disabled_reason && (
                <Notice kind="warn">{t.disabledText[found.disabled_reason]}</Notice>
              )}
              <Facts webhook={found} />
              <AttemptsCard webhook={found} />
              <WebhookActions webhook={found} />
            </>
          )}
        </Loaded>
      </div>
      {edited && (
        <WebhookFormDialog
          title={t.edit}
          verb={english.words.save}
          draft={toDraft(edited)}
          act={async (draft) => {
            await patch(pickChanges(toDraft(edited), draft))
            setEdited(undefined)
            toast(english.words.saved)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function Facts({ webhook }: { webhook: Webhook }): JSX.Element {
  const health = byId(useWebhookHealth()).get(webhook.id)
  return (
    <Card title={t.facts}>
      <dl class="facts">
        <dt>{t.state}</dt>
        <dd>
          <WebhookState webhook={webhook} health={health} />
        </dd>
        <dt>{t.types}</dt>
        <dd>
          <Types types={webhook.types} />
        </dd>
        <dt>{t.created}</dt>
        <dd>{formatTime(webhook.created_at)}</dd>
        <dt>{t.id}</dt>
        <dd>
          <code>{webhook.id}</code>
        </dd>
      </dl>
    </Card>
  )
}
