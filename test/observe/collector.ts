import { context, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** Registers what every SDK registers: how a context follows a request, and how it travels in header fields. */
export function registerContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

/** The SDK of OpenTelemetry, which keeps in memory what it collects. */
export class Collector {
  readonly #spans = new InMemorySpanExporter()
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  readonly tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: this.#spans })],
  })
  readonly meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: this.#metrics })],
  })

  get spans(): ReadableSpan[] {
    return this.#spans.getFinishedSpans()
  }

  reset(): void {
    this.#spans.reset()
  }

  /** All metrics at this moment, by their names */
  async collect() {
    this.#metrics.reset()
    await this.meterProvider.forceFlush()
    const metrics = this.#metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    return new Map(metrics.map((metric) => [metric.descriptor.name, metric]))
  }

  async close(): Promise<void> {
    await this.tracerProvider.shutdown()
    await this.meterProvider.shutdown()
  }
}
