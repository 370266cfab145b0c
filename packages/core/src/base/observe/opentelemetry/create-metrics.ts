import type { Context, Meter } from '@opentelemetry/api'
import type { Observer, RequestEvent } from '../observer.ts'
import { type Common, describeCall, describeQuery, describeRequest } from './attributes.ts'

// Bucket bounds that the semantic conventions recommend, in seconds.
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const queryBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
const lagBuckets = [0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 7_200, 43_200]

export interface Metrics {
  events: Pick<Observer, 'call' | 'query' | 'hash' | 'delivery' | 'feed' | 'hook'>
  recordRequest(event: RequestEvent, context: Context): void
}

/** Creates the histograms. */
export function createMetrics(meter: Meter, about: Common): Metrics {
  const histogram = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries },
    })
  const requests = histogram(
    'http.server.request.duration',
    'Duration of HTTP server requests.',
    requestBuckets,
  )
  const calls = histogram(
    'clientele.call.duration',
    'Duration of method calls by the host.',
    requestBuckets,
  )
  const queries = histogram(
    'db.client.operation.duration',
    'Duration of database client operations.',
    queryBuckets,
  )
  const hashes = histogram('clientele.hash.duration', 'Duration of password hashes.', queryBuckets)
  const waits = histogram(
    'clientele.hash.wait',
    'How long password hashes wait for their turn.',
    requestBuckets,
  )
  const deliveries = histogram(
    'clientele.webhook.delivery.duration',
    'Duration of requests to webhooks.',
    requestBuckets,
  )
  const deliveryLag = histogram(
    'clientele.webhook.delivery.lag',
    'Age of an event when its first webhook delivery attempt begins.',
    lagBuckets,
  )
  const feedLag = histogram(
    'clientele.feed.lag',
    'Age of events when they reach a waiting reader.',
    lagBuckets,
  )
  const hooks = histogram(
    'clientele.hook.duration',
    "Duration of the host's hooks, their wait for a turn included.",
    requestBuckets,
  )
  return {
    recordRequest: (event, context) =>
      requests.record(event.durationMs / 1000, describeRequest(event, about), context),
    events: {
      call: (event) => calls.record(event.durationMs / 1000, describeCall(event)),
      query: (event) => queries.record(event.durationMs / 1000, describeQuery(event, about)),
      hash: ({ durationMs, waitedMs }) => {
        hashes.record(durationMs / 1000)
        waits.record(waitedMs / 1000)
      },
      delivery: ({ status, reason, attempt, durationMs, lagMs }) => {
        deliveries.record(
          durationMs / 1000,
          status === null
            ? { 'error.type': reason ?? 'no_answer' }
            : { 'http.response.status_code': status },
        )
        if (attempt === 1) deliveryLag.record(lagMs / 1000)
      },
      hook: ({ hook, outcome, durationMs }) =>
        hooks.record(durationMs / 1000, { 'clientele.hook': hook, 'clientele.outcome': outcome }),
      feed: ({ lagMs }) => feedLag.record(lagMs / 1000),
    },
  }
}
