import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'

/** Later than the previous time, so that no two states have the same time. */
export function laterThan({ updatedAt }: WebhookRecord, { clock }: WebhooksServices): number {
  return Math.max(clock(), updatedAt + 1)
}
