import type {
  CallEvent,
  CreateObserver,
  DeliveryEvent,
  FeedEvent,
  HashEvent,
  ObservedClientele,
  QueryEvent,
  RequestEvent,
} from '@clientele/core'

/** An observer that keeps all that it hears. */
export class ObservationRecorder {
  readonly requests: RequestEvent[] = []
  readonly calls: CallEvent[] = []
  readonly queries: QueryEvent[] = []
  readonly hashes: HashEvent[] = []
  readonly deliveries: DeliveryEvent[] = []
  readonly feed: FeedEvent[] = []
  about: ObservedClientele | undefined
  isClosed = false

  readonly create: CreateObserver = (about) => {
    this.about = about
    return {
      request: (event) => void this.requests.push(event),
      call: (event) => void this.calls.push(event),
      query: (event) => void this.queries.push(event),
      hash: (event) => void this.hashes.push(event),
      delivery: (event) => void this.deliveries.push(event),
      feed: (event) => void this.feed.push(event),
      close: () => {
        this.isClosed = true
      },
    }
  }

  /** Everything that was heard, as text */
  toText(): string {
    const { requests, calls, queries, hashes, deliveries, feed } = this
    return JSON.stringify({ requests, calls, queries, hashes, deliveries, feed })
  }
}
