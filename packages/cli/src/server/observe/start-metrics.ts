import cluster from 'node:cluster'
import type { CreateObserver } from '@clientele/core'
import type { Logger } from 'pino'
import { listen } from '../listen.ts'
import type { Settings } from '../settings/setting-table.ts'

type MetricsSettings = Pick<Settings, 'metricsPort' | 'metricsHost'>

/**
 * Measures where the settings say so, and serves the page; that of a worker is served by the primary. Answers with who
 * measures: nobody, where the settings do not.
 */
export async function startMetrics(
  settings: MetricsSettings,
  logger: Logger,
): Promise<CreateObserver[]> {
  if (settings.metricsPort === undefined) return []
  // Loaded only then: it takes its time.
  const { createMetrics } = await import('./metrics.ts')
  const { registry, observe } = createMetrics()
  if (cluster.isWorker) {
    const { answerForMetrics } = await import('./worker-metrics.ts')
    answerForMetrics(registry)
  } else await serveMetrics(settings, logger, () => registry.metrics())
  return [observe]
}

/** In the primary of several workers: serves what they measure together, where the settings say so. */
export async function startWorkerMetrics(settings: MetricsSettings, logger: Logger): Promise<void> {
  if (settings.metricsPort === undefined) return
  const { readWorkerMetrics } = await import('./worker-metrics.ts')
  await serveMetrics(settings, logger, readWorkerMetrics)
}

async function serveMetrics(
  { metricsPort: port = 0, metricsHost: host }: MetricsSettings,
  logger: Logger,
  readPage: () => Promise<string>,
): Promise<void> {
  const { openMetricsServer } = await import('./open-metrics-server.ts')
  const server = openMetricsServer(readPage, logger)
  const metrics = await listen(server, { port, host }, 'METRICS_')
  // What ends the service ends this too.
  server.unref()
  logger.info({ metrics }, 'Metrics are served.')
}
