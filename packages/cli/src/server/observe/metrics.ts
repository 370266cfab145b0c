import type { CreateObserver, Gauges, ObservedClientele, Observer } from '@clientele/core'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { FastHistogram } from './fast-histogram.ts'
import type { LoopTime } from './loop-time.ts'

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const lagBuckets = [0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 7_200, 43_200]

export interface Metrics {
  registry: Registry
  observe: CreateObserver
  /** Reads the gauges for the next page, so that making the page waits for no database. */
  readGauges: (loopTime: LoopTime) => Promise<void>
}

/**
 * Makes the metrics of a process. The values of labels are route templates, HTTP methods, status codes and names that
 * this code defines: no value comes from a caller, or identifies an account or a user.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  let read: ObservedClientele['readGauges'] | undefined
  let gauges: Gauges | undefined
  addGauges(() => gauges, registers)
  return {
    registry,
    observe: ({ readGauges }) => {
      read = readGauges
      return createHistograms(registry)
    },
    readGauges: async (loopTime) => {
      const startedAt = performance.now()
      gauges = undefined
      gauges = await read?.()
      // Without a pool, the database is in this process.
      if (gauges?.pool === undefined) loopTime.add(performance.now() - startedAt)
    },
  }
}

function createHistograms(registry: Registry): Observer {
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new FastHistogram({ name, help, buckets, labelNames, registry })
  const requests = histogram(
    'clientele_http_request_duration_seconds',
    'How long requests take to be answered.',
    durationBuckets,
    ['method', 'route', 'status'],
  )
  const queries = histogram(
    'clientele_db_operation_duration_seconds',
    'How long a method of the repository takes in the database, with all of its statements.',
    durationBuckets,
    ['operation', 'error'],
  )
  const hashes = histogram(
    'clientele_hash_duration_seconds',
    'How long password hashes take.',
    durationBuckets,
  )
  const waits = histogram(
    'clientele_hash_wait_seconds',
    'How long password hashes wait for their turn.',
    durationBuckets,
  )
  const deliveries = histogram(
    'clientele_webhook_delivery_duration_seconds',
    'How long attempts to deliver a webhook take, including those without an answer.',
    durationBuckets,
    ['outcome'],
  )
  const deliveryLag = histogram(
    'clientele_webhook_delivery_lag_seconds',
    'Age of an event when its first webhook delivery attempt begins.',
    lagBuckets,
  )
  const feedLag = histogram(
    'clientele_feed_lag_seconds',
    'The age of events when they reach a waiting reader.',
    lagBuckets,
  )
  const hooks = histogram(
    'clientele_hook_duration_seconds',
    'How long hooks take, their wait for a turn included.',
    durationBuckets,
    ['hook', 'outcome'],
  )
  return {
    request: ({ method, route, operation, status, durationMs }) => {
      // A route keeps one series for all methods that it does not have: callers choose them.
      const known = route === undefined || operation !== undefined ? method : '_OTHER'
      requests.observe(durationMs / 1000, known, route ?? 'none', status)
    },
    query: ({ name, error = 'none', durationMs }) =>
      queries.observe(durationMs / 1000, name, error),
    hash: ({ durationMs, waitedMs }) => {
      hashes.observe(durationMs / 1000)
      waits.observe(waitedMs / 1000)
    },
    delivery: ({ status, reason, attempt, durationMs, lagMs }) => {
      const outcome = status === null ? (reason ?? 'no_answer') : `${Math.floor(status / 100)}xx`
      deliveries.observe(durationMs / 1000, outcome)
      if (attempt === 1) deliveryLag.observe(lagMs / 1000)
    },
    hook: ({ hook, outcome, durationMs }) => hooks.observe(durationMs / 1000, hook, outcome),
    feed: ({ lagMs }) => feedLag.observe(lagMs / 1000),
  }
}

function addGauges(find: () => Gauges | undefined, registers: Registry[]): void {
  const addStates = (
    name: string,
    help: string,
    choose: (gauges: Gauges) => Record<string, number> | undefined,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      collect() {
        const gauges = find()
        const states = (gauges && choose(gauges)) ?? {}
        for (const [state, count] of Object.entries(states)) this.set({ state }, count)
      },
    })
  addStates(
    'clientele_hashes',
    'Password hashes that run or wait for their turn.',
    ({ hashing }) => ({
      ...hashing,
    }),
  )
  addStates(
    'clientele_mails',
    'E-mails that are being sent or wait for their turn.',
    ({ mails }) => ({ ...mails }),
  )
  addStates(
    'clientele_db_connections',
    'Database connections in use and idle, and callers that wait for a connection.',
    ({ pool }) => pool && { in_use: pool.inUse, idle: pool.idle, waiting: pool.waiting },
  )
  new Gauge({
    name: 'clientele_webhook_lag_seconds',
    help: 'How long the most overdue webhook delivery has been due, across all processes; 0 if none is due.',
    registers,
    // Each process reads the same value from the database: values of workers are not added up.
    aggregator: 'max',
    collect() {
      const lagSeconds = find()?.webhookLagSeconds
      if (lagSeconds === undefined) this.remove()
      else this.set(lagSeconds)
    },
  })
}
