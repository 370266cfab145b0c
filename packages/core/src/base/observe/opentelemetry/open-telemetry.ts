import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { z } from 'zod'
import { checkConfiguration, objectWith } from '../../input/configuration.ts'
import type { CreateObserver } from '../observer.ts'
import { createGauges } from './create-gauges.ts'
import { createMetrics } from './create-metrics.ts'
import { createSpans } from './create-spans.ts'

export interface OpenTelemetryOptions {
  /**
   * The prefix of the templates in `http.route`, where you mount the routes: `/api/v1`, or `/tenants/:tenant`. It is
   * the same for every request, so write the name of a parameter, not its value. @default none
   */
  routePrefix?: string
  /** @default the global one, when `createClientele` is called */
  tracerProvider?: TracerProvider
  /** @default the global one, when `createClientele` is called */
  meterProvider?: MeterProvider
}

const optionsSchema = z.strictObject({
  routePrefix: z.string().optional(),
  tracerProvider: objectWith(['getTracer'], 'a tracer provider').optional(),
  meterProvider: objectWith(['getMeter'], 'a meter provider').optional(),
})

const scope = '@clientele/core'

/**
 * Creates spans and metrics with the OpenTelemetry API, named by its semantic conventions. It patches nothing. Without
 * an SDK nothing is recorded: start your SDK before `createClientele`. guides/observability.md lists the spans and
 * metrics.
 *
 * @throws ClienteleError `configuration_invalid`
 *
 * @example
 * const clientele = await createClientele({
 *   repository: sqlite({ filename: 'users.sqlite' }),
 *   observers: [openTelemetry({ routePrefix: '/api/v1' })],
 * })
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): CreateObserver {
  checkConfiguration(optionsSchema, options)
  const { routePrefix = '', tracerProvider, meterProvider } = options
  return (clientele) => {
    const tracer = (tracerProvider ?? trace).getTracer(scope)
    const meter = (meterProvider ?? metrics).getMeter(scope)
    // Node speaks HTTP. A proxy that terminates TLS is described by `publicUrl`.
    const urlScheme = clientele.publicUrl?.startsWith('https:') ? 'https' : 'http'
    const about = { routePrefix, urlScheme, databaseSystem: clientele.databaseSystem }
    const heard = createMetrics(meter, about)
    const traced = createSpans(tracer, heard, about)
    const stopGauges = createGauges(meter, clientele)
    return { ...heard.events, ...traced, close: stopGauges }
  }
}
