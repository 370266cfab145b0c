import type { WebhookList } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { byId, useWebhookHealth } from './use-webhook-health.ts'
import { WebhooksTable } from './webhooks-table.tsx'

const t = english.webhooks
const mostWebhooks = 10

export function WebhooksScreen(): JSX.Element {
  const accountId = useAccountId()
  const [isCreating, setCreating] = useState(false)
  const list = useResource<WebhookList>('api/client/webhook', { accountId })
  const health = byId(useWebhookHealth())
  const webhooks = list.data?.data
  const isFull = (webhooks?.length ?? 0) >= mostWebhooks
  const create = (
    <Button kind="primary" icon="plus" disabled={isFull} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={create}>
        {t.lead}
      </PageHead>
      <div class="stack">
        <ProblemNotice problem={list.problem} onRetry={list.reload} />
        {isFull && <Notice>{t.full}</Notice>}
        {webhooks === undefined && list.isLoading && <Loading />}
        {webhooks?.length === 0 && (
          <Empty icon="webhooks" title={t.none} actions={create}>
            {t.noneText}
          </Empty>
        )}
        {webhooks !== undefined && webhooks.length > 0 && (
          <WebhooksTable webhooks={webhooks} health={health} isStale={list.isLoading} />
        )}
      </div>
      {isCreating && (
        <CreateWebhookDialog
          onClose={() => {
            setCreating(false)
            list.reload()
          }}
        />
      )}
    </>
  )
}
