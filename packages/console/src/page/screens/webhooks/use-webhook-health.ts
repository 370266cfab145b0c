import type { Overview, WebhookHealth } from '../../api/overview.ts'
import { useResource } from '../../api/use-resource.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'

/** The health of the endpoints, by id; empty if the session may not read it. */
export function useWebhookHealth(): ReadonlyMap<string, WebhookHealth> {
  const accountId = useAccountId()
  const { can } = useAccess()
  const mayKnow = can('users:read') && can('events:read')
  const { data } = useResource<Overview>(mayKnow ? 'overview' : undefined, {
    query: { days: 1 },
    accountId,
  })
  return new Map(data?.webhooks.map((health) => [health.id, health]))
}
