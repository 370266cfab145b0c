import type { WebhooksServices } from './services.ts'
import type { WebhookRecord } from './store.ts'

/** Later than before, so that no two states have one time. */
export function laterThan({ updatedAt }: WebhookRecord, { clock }: WebhooksServices): number {
  return Math.max(clock(), updatedAt + 1)
}
