import type { BaseServices } from '../../base/services.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import type { IdempotencyStore } from './store.ts'

/** What the actions of this room work with. */
export type IdempotencyServices = BaseServices & {
  repository: { idempotency: IdempotencyStore }
  /** Those that came with an `Idempotency-Key` */
  requestsUnderWay: RequestsUnderWay
}
