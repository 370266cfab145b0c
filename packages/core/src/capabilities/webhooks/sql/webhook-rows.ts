import { mapRecords } from '../../../sql/record-mapper.ts'
import type { WebhookRecord } from '../store.ts'

export const records = mapRecords<WebhookRecord>()(
  'clientele_webhooks',
  'account_id',
  'position',
  'failing_since',
  'attempt_count',
  'lease_holder',
  'lease_until',
)
export const { toRecord } = records
