import type { LargeResponses } from '../../base/runtime/large-responses.ts'
import type { BaseServices } from '../../base/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { RateLimitCountStore } from '../rate-limits/store.ts'
import type { Events } from './events.ts'
import type { FeedChain } from './feed-chain.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { NewEvent } from './new-event.ts'
import type { EventStore } from './store.ts'

/** The services that this room needs. */
export type EventsServices = BaseServices &
  RateLimitsServices & {
    repository: { events: EventStore; rateLimits: RateLimitCountStore }
    events: Events
    feedWatch: FeedWatch
    feedChain: FeedChain
    largeResponses: LargeResponses
    /** Undefined: no chain */
    sealEvent: ((event: NewEvent) => string) | undefined
  }
