import type { JSX } from 'preact'
import type { WebhookHealth } from '../../api/webhook-health.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Card } from '../../ui/card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { HealthBadge } from '../webhooks/health-badge.tsx'
import type { HealthResource } from '../webhooks/use-webhook-health.ts'

const t = english.overview

/** Shows the delivery health of each webhook endpoint. */
export function WebhookHealthCard({ health }: { health: HealthResource }): JSX.Element {
  const accountId = useAccountId()
  const webhooks = health.data?.data
  return (
    <Card title={t.webhookHealth}>
      <ProblemNotice problem={health.problem} onRetry={health.reload} />
      {webhooks === undefined && health.isLoading && <Loading />}
      {webhooks?.length === 0 && (
        <p class="muted">
          {t.noWebhooks} <a href={toHref(['a', accountId, 'webhooks'])}>{t.toWebhooks}</a>
        </p>
      )}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul class="health-list">
          {webhooks.map((webhook) => (
            <HealthOf key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function HealthOf({ webhook }: { webhook: WebhookHealth }): JSX.Element {
  const accountId = useAccountId()
  const { last_attempt_at: at, last_status: status, last_reason: reason, pending } = webhook
  return (
    <li>
      <a class="url" href={toHref(['a', accountId, 'webhooks', webhook.id])}>
        {shorten(webhook.url)}
      </a>
      <HealthBadge health={webhook} />
      <p class="muted small">
        {at === null ? (
          t.noAttempt
        ) : (
          <>
            {t.lastAttempt(status, reason)} <Time at={at} />
          </>
        )}
      </p>
      {pending > 0 && <p class="muted small">{t.pending(formatNumber(pending))}</p>}
    </li>
  )
}

function shorten(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
