import type { JSX } from 'preact'
import type { WebhookHealth } from '../../api/overview.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Card } from '../../ui/card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { HealthBadge } from '../webhooks/health-badge.tsx'

const t = english.overview

/** Shows the delivery health of each webhook endpoint. */
export function WebhookHealthCard({
  webhooks,
}: {
  webhooks: readonly WebhookHealth[]
}): JSX.Element {
  const { can } = useAccess()
  const accountId = useAccountId()
  const mayOpen = can('webhooks:write')
  return (
    <Card title={t.webhookHealth}>
      {webhooks.length === 0 ? (
        <p class="muted">
          {t.noWebhooks}{' '}
          {mayOpen && <a href={toHref(['a', accountId, 'webhooks'])}>{t.toWebhooks}</a>}
        </p>
      ) : (
        <ul class="health-list">
          {webhooks.map((webhook) => (
            <li key={webhook.id}>
              {mayOpen ? (
                <a class="url" href={toHref(['a', accountId, 'webhooks', webhook.id])}>
                  {shorten(webhook.url)}
                </a>
              ) : (
                <span class="url">{shorten(webhook.url)}</span>
              )}
              <HealthBadge health={webhook} />
              <p class="muted small">
                {webhook.last_attempt_at === null ? (
                  t.noAttempt
                ) : (
                  <>
                    {t.lastAttempt(webhook.last_status, webhook.last_reason)}{' '}
                    <Time at={webhook.last_attempt_at} />
                  </>
                )}
              </p>
              {webhook.pending > 0 && (
                <p class="muted small">{t.pending(formatNumber(webhook.pending))}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function shorten(url: string): string {
  return url.replace(/^https?:\/\//, '')
}
