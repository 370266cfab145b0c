import type { BaseServices } from '../../base/services.ts'
import type { RateLimitsServices } from '../rate-limits/services.ts'
import type { RateLimitCountStore } from '../rate-limits/store.ts'
import type { Events } from './events.ts'
import type { FeedChain } from './feed-chain.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { NewEvent } from './new-event.ts'
import type { EventStore } from './store.ts'

/** What the actions of this room work with. */
export type EventsServices = BaseServices &
  RateLimitsServices & {
    repository: { events: EventStore; rateLimits: RateLimitCountStore }
    events: Events
    feedWatch: FeedWatch
    feedChain: FeedChain
    /** Undefined: there is no chain */
    sealEvent: ((event: NewEvent) => string) | undefined
  }
