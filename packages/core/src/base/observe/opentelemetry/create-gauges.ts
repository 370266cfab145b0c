import type { BatchObservableResult, Meter } from '@opentelemetry/api'
import type { ObservedClientele } from '../observer.ts'

const poolName = { 'db.client.connection.pool.name': 'clientele' }

/** Creates the gauges, which are measured when metrics are collected. Returns a function that removes them. */
export function createGauges(meter: Meter, { readGauges }: ObservedClientele): () => void {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description })
  const count = (name: string, unit: string, description: string) =>
    meter.createObservableUpDownCounter(name, { unit, description })
  const hashes = count(
    'clientele.hash.queued',
    '{hash}',
    'Password hashes that run or wait for their turn.',
  )
  const mails = count(
    'clientele.mail.queued',
    '{mail}',
    'E-mails that are being sent or wait for their turn.',
  )
  const connections = count(
    'db.client.connection.count',
    '{connection}',
    'The number of connections that are currently in state described by the state attribute.',
  )
  const pending = count(
    'db.client.connection.pending_requests',
    '{request}',
    'The number of current pending requests for an open connection.',
  )
  const lag = gauge(
    'clientele.webhook.lag',
    's',
    'How long the most overdue webhook delivery has been due, across all processes.',
  )
  const all = [hashes, mails, connections, pending, lag]

  const observe = async (result: BatchObservableResult): Promise<void> => {
    const { hashing, mails: mailing, pool, webhookLagSeconds } = await readGauges()
    for (const [instrument, load] of [
      [hashes, hashing],
      [mails, mailing],
    ] as const) {
      result.observe(instrument, load.running, { 'clientele.state': 'running' })
      result.observe(instrument, load.waiting, { 'clientele.state': 'waiting' })
    }
    if (pool !== undefined) {
      const { inUse, idle, waiting } = pool
      result.observe(connections, inUse, { ...poolName, 'db.client.connection.state': 'used' })
      result.observe(connections, idle, { ...poolName, 'db.client.connection.state': 'idle' })
      result.observe(pending, waiting, poolName)
    }
    if (webhookLagSeconds !== undefined) result.observe(lag, webhookLagSeconds)
  }
  meter.addBatchObservableCallback(observe, all)
  return () => meter.removeBatchObservableCallback(observe, all)
}
