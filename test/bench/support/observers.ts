import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CreateObserver } from '@clientele/core'
import { openTelemetry } from '@clientele/core/opentelemetry'

const server = '../../../packages/cli/src/server'

/** Who hears what a server does */
export const observers: Record<string, () => Promise<CreateObserver[]>> = {
  nobody: async () => [],
  'access line': async () => {
    const { logRequests } = await import(`${server}/logging/log-requests.ts`)
    return [logRequests({ logLevel: 'info', logFormat: 'json' })]
  },
  Prometheus: async () => {
    const { createMetrics } = await import(`${server}/observe/metrics.ts`)
    return [createMetrics().observe]
  },
  'OpenTelemetry, metrics': async () => {
    const { MeterProvider } = await loadOfTests('@opentelemetry/sdk-metrics')
    return [openTelemetry({ meterProvider: new MeterProvider() })]
  },
  'OpenTelemetry, spans': () => traceRequests(1),
  'OpenTelemetry, spans of one in a hundred': () => traceRequests(0.01),
}

/** Spans of a part of the requests, which go nowhere */
async function traceRequests(part: number): Promise<CreateObserver[]> {
  const { context } = await loadOfTests('@opentelemetry/api')
  const { AsyncLocalStorageContextManager } = await loadOfTests(
    '@opentelemetry/context-async-hooks',
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const { TracerProvider, TraceIdRatioBasedSampler } = await loadOfTests('@opentelemetry/sdk-trace')
  const nobody = {
    onStart() {},
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const sampler = new TraceIdRatioBasedSampler(part)
  return [
    openTelemetry({ tracerProvider: new TracerProvider({ sampler, spanProcessors: [nobody] }) }),
  ]
}

/** What the tests have: it is not installed twice. */
async function loadOfTests(name: string) {
  const { resolve } = createRequire(join(import.meta.dirname, '../../package.json'))
  return import(pathToFileURL(resolve(name)).href)
}
