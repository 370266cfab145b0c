import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Observer, QueryEvent, Timed } from '../observer.ts'
import {
  type Common,
  describeCall,
  describeQuery,
  describeRequest,
  identifyRequest,
} from './attributes.ts'
import type { Metrics } from './create-metrics.ts'

/** Creates the spans: of requests, of in-process method calls and, below both, of database calls. */
export function createSpans(
  tracer: Tracer,
  metrics: Metrics,
  about: Common,
): Pick<Observer, 'aroundRequest' | 'aroundCall' | 'query'> {
  return {
    /**
     * When a span is active, the host's own instrumentation has created it for the same request: our span becomes its
     * child, and the request is already in the metric. Otherwise ours is the server span, below the caller's
     * (`traceparent`).
     */
    aroundRequest: async ({ method, headers }, work) => {
      const active = context.active()
      const isPart = trace.getSpanContext(active) !== undefined
      const parent = isPart ? active : propagation.extract(active, headers)
      const word = method === '_OTHER' ? 'HTTP' : method
      const kind = isPart ? SpanKind.INTERNAL : SpanKind.SERVER
      const attributes = { 'http.request.method': method, 'url.scheme': about.urlScheme }
      const span = tracer.startSpan(word, { kind, attributes }, parent)
      const inside = trace.setSpan(parent, span)
      const event = await context.with(inside, work)
      if (!isPart) metrics.recordRequest(event, inside)
      if (!span.isRecording()) return
      const { route, status } = event
      if (route !== undefined) span.updateName(`${word} ${about.routePrefix}${route}`)
      span.setAttributes(describeRequest(event, about))
      span.setAttributes(identifyRequest(event))
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endOf(event))
    },
    aroundCall: async (name, work) => {
      const span = tracer.startSpan(`clientele ${name}`)
      const event = await context.with(trace.setSpan(context.active(), span), work)
      if (!span.isRecording()) return
      span.setAttributes(describeCall(event))
      if (event.code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endOf(event))
    },
    query: (event) => {
      metrics.events.query?.(event)
      const parent = trace.getActiveSpan()
      // Background work, such as looking for due webhooks, would otherwise start a trace every second.
      if (parent?.isRecording()) addQuery(tracer, event, about).end(endOf(event))
    },
  }
}

function addQuery(tracer: Tracer, event: QueryEvent, about: Common): Span {
  const attributes = describeQuery(event, about)
  const { name, startedAt: startTime, error } = event
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes })
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  return span
}

function endOf({ startedAt, durationMs }: Timed): number {
  return startedAt + durationMs
}
