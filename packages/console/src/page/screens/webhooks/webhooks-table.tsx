import type { Webhook } from '@clientele/client'
import type { JSX } from 'preact'
import type { WebhookHealth } from '../../api/webhook-health.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { HealthBadge } from './health-badge.tsx'

const t = english.webhooks

export function WebhooksTable({
  webhooks,
  health,
  isStale,
}: {
  webhooks: readonly Webhook[]
  health: ReadonlyMap<string, WebhookHealth>
  isStale: boolean
}): JSX.Element {
  const accountId = useAccountId()
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      label: t.endpoint,
      cell: (webhook) => (
        <div class="identity">
          <a href={toHref(['a', accountId, 'webhooks', webhook.id])}>{webhook.url}</a>
          {webhook.description !== '' && <span class="muted">{webhook.description}</span>}
        </div>
      ),
    },
    {
      key: 'types',
      label: t.types,
      isWideOnly: true,
      cell: (webhook) => <Types types={webhook.types} />,
    },
    {
      key: 'state',
      label: t.state,
      cell: (webhook) => <WebhookState webhook={webhook} health={health.get(webhook.id)} />,
    },
    {
      key: 'last',
      label: t.lastAttempt,
      isWideOnly: true,
      cell: ({ id }) => <LastAttempt health={health.get(id)} />,
    },
  ]
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={webhooks}
      keyOf={({ id }) => id}
      isStale={isStale}
    />
  )
}

/** The state: the endpoint's health, or only whether it is on. */
export function WebhookState({
  webhook,
  health,
}: {
  webhook: Webhook
  health: WebhookHealth | undefined
}): JSX.Element {
  if (webhook.disabled_reason !== null)
    return <Badge kind="bad">{t.disabled[webhook.disabled_reason]}</Badge>
  // The switch is newer than the loaded health.
  if (health !== undefined && webhook.is_active === health.is_active)
    return <HealthBadge health={health} />
  return webhook.is_active ? <Badge kind="good">{t.on}</Badge> : <Badge>{t.health.off}</Badge>
}

export function Types({ types }: { types: readonly string[] }): JSX.Element {
  if (types.includes('*')) return <>{t.everything}</>
  return (
    <ul class="row tight">
      {types.map((type) => (
        <li key={type}>
          <Badge>{type}</Badge>
        </li>
      ))}
    </ul>
  )
}

function LastAttempt({ health }: { health: WebhookHealth | undefined }): JSX.Element | null {
  if (health === undefined) return null
  const { last_attempt_at: at, last_status: status, last_reason: reason, pending } = health
  if (at === null) return <span class="muted">{english.words.never}</span>
  return (
    <>
      <span class="nowrap">
        {status ?? (reason === 'error' ? t.ourError : t.noAnswer)} · <Time at={at} />
      </span>
      {pending > 0 && <div class="muted small">{t.pending(formatNumber(pending))}</div>}
    </>
  )
}
