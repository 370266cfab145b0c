import type { JSX } from 'preact'
import type { WebhookHealth } from '../../api/webhook-health.ts'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'

const t = english.webhooks.health

/** Shows the health of an endpoint as one word. */
export function HealthBadge({
  health: { is_active: isActive, failing_since: failingSince, last_attempt_at: lastAttemptAt },
}: {
  health: Pick<WebhookHealth, 'is_active' | 'failing_since' | 'last_attempt_at'>
}): JSX.Element {
  if (!isActive) return <Badge>{t.off}</Badge>
  if (failingSince !== null) return <Badge kind="bad">{t.failing}</Badge>
  if (lastAttemptAt === null) return <Badge kind="accent">{t.waiting}</Badge>
  return <Badge kind="good">{t.healthy}</Badge>
}
