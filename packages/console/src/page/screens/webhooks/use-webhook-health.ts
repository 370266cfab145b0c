import { type Resource, useResource } from '../../api/use-resource.ts'
import type { WebhookHealth } from '../../api/webhook-health.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'

export type HealthResource = Resource<{ data: readonly WebhookHealth[] }>

/** The health of the endpoints; no data if the session may not read it. */
export function useWebhookHealth(): HealthResource {
  const accountId = useAccountId()
  const { can } = useAccess()
  return useResource(can('webhooks:write') ? 'webhook-health' : undefined, { accountId })
}

export function byId({ data }: HealthResource): ReadonlyMap<string, WebhookHealth> {
  return new Map(data?.data.map((health) => [health.id, health]))
}
