import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { sendIfThere } from '../send-if-there.ts'
import { LoopTime } from './loop-time.ts'
import { makePage } from './make-page.ts'
import type { Metrics } from './metrics.ts'

/** How long a worker may take to answer; one that does not is left out of the page. In milliseconds */
const patienceMs = 2_000
/** How long a worker waits for what it asks the database: while that hangs, its other metrics are wanted most. In milliseconds */
const gaugesMs = 1_000

interface Question {
  metricsWanted: number
}

/** A part of the answer; the last one has no metric, but for how long all of it occupied the worker's event loop */
type Answer =
  | { metricsFor: number; metric: MetricObject }
  | { metricsFor: number; metric?: undefined; tookMs: number }

/** In a worker: answers whenever the primary asks for its metrics. */
export function answerForMetrics(metrics: Metrics): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return
    // The primary goes on without this worker.
    answer(metrics, message.metricsWanted).catch(() => {})
  })
}

async function answer({ registry, readGauges }: Metrics, metricsFor: number): Promise<void> {
  const loopTime = new LoopTime()
  const send = (part: Answer) => sendIfThere(process, part)
  await Promise.race([readGauges(loopTime), sleep(gaugesMs, undefined, { ref: false })])
  for (const { name } of registry.getMetricsAsArray())
    await loopTime.spend(async () => {
      const metric = await registry.getSingleMetric(name)?.get()
      if (metric !== undefined) send({ metricsFor, metric })
    })
  send({ metricsFor, tookMs: loopTime.totalMs })
}

let lastQuestion = 0

/** In the primary: the metrics of all workers that answer, added up. */
export async function readWorkerMetrics(loopTime: LoopTime): Promise<string> {
  lastQuestion++
  const question: Question = { metricsWanted: lastQuestion }
  const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  const heard = new Map<Worker, MetricObject[]>()
  const answered: MetricObject[][] = []
  let longestMs = 0
  const complete = Promise.withResolvers<void>()
  const hear = (worker: Worker, message: unknown): void => {
    if (!isAnswer(message) || message.metricsFor !== question.metricsWanted) return
    const metrics = heard.get(worker) ?? []
    heard.set(worker, metrics)
    if (message.metric !== undefined) {
      metrics.push(message.metric)
      return
    }
    longestMs = Math.max(longestMs, message.tookMs)
    answered.push(metrics)
    if (answered.length === asked.length) complete.resolve()
  }
  cluster.on('message', hear)
  for (const worker of asked) if (worker !== undefined) sendIfThere(worker, question)
  await Promise.race([complete.promise, sleep(patienceMs)])
  cluster.off('message', hear)
  const pages: string[] = []
  for (const same of Map.groupBy(answered.flat(), ({ name }) => name).values()) {
    const sum = await loopTime.spend(() => AggregatorRegistry.aggregate([same]))
    pages.push(await makePage(sum, loopTime))
  }
  // The processes work side by side: the one that took longest decides.
  loopTime.add(Math.max(0, longestMs - loopTime.totalMs))
  return pages.join('\n')
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'metricsWanted' in message
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metricsFor' in message
}
