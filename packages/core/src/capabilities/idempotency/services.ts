import type { BaseServices } from '../../base/services.ts'
import type { RequestsUnderWay } from './requests-under-way.ts'
import type { IdempotencyStore } from './store.ts'

/** The services that this room needs. */
export type IdempotencyServices = BaseServices & {
  repository: { idempotency: IdempotencyStore }
  /** The requests under way with an `Idempotency-Key` */
  requestsUnderWay: RequestsUnderWay
}
