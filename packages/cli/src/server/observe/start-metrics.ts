import cluster from 'node:cluster'
import type { CreateObserver } from '@clientele/core'
import type { Logger } from 'pino'
import { listen } from '../listen.ts'
import type { Settings } from '../settings/setting-table.ts'
import type { LoopTime } from './loop-time.ts'

type MetricsSettings = Pick<Settings, 'metricsPort' | 'metricsHost'>

/**
 * Measures if the settings say so, and serves the page; the primary serves the page for workers. Returns the
 * observers: none if metrics are off.
 */
export async function startMetrics(
  settings: MetricsSettings,
  logger: Logger,
): Promise<CreateObserver[]> {
  if (settings.metricsPort === undefined) return []
  // Loaded only if needed: loading it takes time.
  const { createMetrics } = await import('./metrics.ts')
  const metrics = createMetrics()
  if (cluster.isWorker) {
    const { answerForMetrics } = await import('./worker-metrics.ts')
    answerForMetrics(metrics)
  } else {
    const { makePage } = await import('./make-page.ts')
    await serveMetrics(settings, logger, async (loopTime) => {
      await metrics.readGauges(loopTime)
      return makePage(metrics.registry, loopTime)
    })
  }
  return [metrics.observe]
}

/** In the primary of several workers: serves the sum of their metrics, if the settings say so. */
export async function startWorkerMetrics(settings: MetricsSettings, logger: Logger): Promise<void> {
  if (settings.metricsPort === undefined) return
  const { readWorkerMetrics } = await import('./worker-metrics.ts')
  await serveMetrics(settings, logger, readWorkerMetrics)
}

async function serveMetrics(
  { metricsPort: port = 0, metricsHost: host }: MetricsSettings,
  logger: Logger,
  readPage: (loopTime: LoopTime) => Promise<string>,
): Promise<void> {
  const { openMetricsServer } = await import('./open-metrics-server.ts')
  const server = openMetricsServer(readPage, logger)
  const metrics = await listen(server, { port, host }, 'METRICS_')
  // This server ends with the service.
  server.unref()
  logger.info({ metrics }, 'Metrics are served.')
}
