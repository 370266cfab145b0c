import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client'
import { sendIfThere } from '../send-if-there.ts'

/** How long a worker may take to answer; one that does not is left out of the page. In milliseconds */
const patienceMs = 2_000

interface Question {
  metricsWanted: number
}

interface Answer {
  metricsFor: number
  metrics: MetricObject[]
}

/** In a worker: answers whenever the primary asks for its metrics. */
export function answerForMetrics(registry: Registry): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return
    const { metricsWanted: metricsFor } = message
    registry
      .getMetricsAsJSON()
      .then((metrics) => sendIfThere(process, { metricsFor, metrics }))
      // The primary goes on without this worker.
      .catch(() => {})
  })
}

let lastQuestion = 0

/** In the primary: the metrics of all workers that answer, added up. */
export async function readWorkerMetrics(): Promise<string> {
  lastQuestion++
  const question: Question = { metricsWanted: lastQuestion }
  const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  const answered = new Map<Worker, MetricObject[]>()
  const complete = Promise.withResolvers<void>()
  const hear = (worker: Worker, message: unknown): void => {
    if (!isAnswer(message) || message.metricsFor !== question.metricsWanted) return
    answered.set(worker, message.metrics)
    if (answered.size === asked.length) complete.resolve()
  }
  cluster.on('message', hear)
  for (const worker of asked) if (worker !== undefined) sendIfThere(worker, question)
  await Promise.race([complete.promise, sleep(patienceMs)])
  cluster.off('message', hear)
  return AggregatorRegistry.aggregate([...answered.values()]).metrics()
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'metricsWanted' in message
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metricsFor' in message
}
