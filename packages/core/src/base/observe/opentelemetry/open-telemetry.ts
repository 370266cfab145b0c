import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { z } from 'zod'
import { checkConfiguration, objectWith } from '../../input/configuration.ts'
import type { CreateObserver } from '../observer.ts'
import { createGauges } from './create-gauges.ts'
import { createMetrics } from './create-metrics.ts'
import { createSpans } from './create-spans.ts'

export interface OpenTelemetryOptions {
  /**
   * What stands before the templates in `http.route`, where you mount the routes: `/api/v1`, or `/tenants/:tenant`. It is
   * the same for every request, so write no value of a parameter. @default nothing
   */
  routePrefix?: string
  /** @default the global one, at the time when `createClientele` is called */
  tracerProvider?: TracerProvider
  /** @default the global one, at the time when `createClientele` is called */
  meterProvider?: MeterProvider
}

const optionsSchema = z.strictObject({
  routePrefix: z.string().optional(),
  tracerProvider: objectWith(['getTracer'], 'a tracer provider').optional(),
  meterProvider: objectWith(['getMeter'], 'a meter provider').optional(),
})

const scope = '@clientele/core'

/**
 * Makes spans and metrics by the API of OpenTelemetry, named by its semantic conventions. Nothing is patched, and without
 * an SDK nothing happens: start yours before `createClientele`. guides/observability.md lists what there is.
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
    // Node speaks HTTP; whoever is in front of it, and speaks TLS, is named by `publicUrl`.
    const urlScheme = clientele.publicUrl?.startsWith('https:') ? 'https' : 'http'
    const about = { routePrefix, urlScheme, databaseSystem: clientele.databaseSystem }
    const heard = createMetrics(meter, about)
    const traced = createSpans(tracer, heard, about)
    const stopGauges = createGauges(meter, clientele)
    return { ...heard.events, ...traced, close: stopGauges }
  }
}
