import { once } from 'node:events'
import type { CreateObserver } from '@clientele/core'
import type { Logger } from 'pino'
import type { Settings } from '../settings/setting-table.ts'

/** Serves metrics where the settings say so. Answers with who measures: nobody, where they do not. */
export async function startMetrics(
  { metricsPort, metricsHost }: Settings,
  logger: Logger,
): Promise<CreateObserver[]> {
  if (metricsPort === undefined) return []
  // Loaded only then: it takes its time.
  const { createMetrics } = await import('./metrics.ts')
  const { openMetricsServer } = await import('./open-metrics-server.ts')
  const { registry, observe } = createMetrics()
  const server = openMetricsServer(registry, logger)
  server.listen(metricsPort, metricsHost)
  await once(server, 'listening').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`METRICS_PORT cannot be listened on: ${reason}`, { cause: error })
  })
  // What ends the service ends this too.
  server.unref()
  logger.info({ metrics: server.address() }, 'Metrics are served.')
  return [observe]
}
