import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LoopTime } from '../../packages/cli/src/server/observe/loop-time.ts'
import { readWorkerMetrics } from '../../packages/cli/src/server/observe/worker-metrics.ts'
import { tellClosedListeners } from '../../packages/cli/src/server/workers/closed-listeners.ts'

/** A worker that is dead, although this process has not noticed yet. */
async function startDeadWorker() {
  cluster.setupPrimary({ exec: '-', execArgv: ['-e', 'setInterval(() => {}, 1000)'], args: [] })
  const worker = cluster.fork()
  const died = once(worker, 'exit')
  await once(worker, 'online')
  worker.process.kill('SIGKILL')
  // Long enough for the system to end it, while nothing can be heard here.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  expect(worker.isConnected()).toBe(true)
  const faults: Error[] = []
  worker.on('error', (fault) => faults.push(fault))
  onTestFinished(async () => void (await died))
  return { worker, faults }
}

test('metrics are read without a worker that has just died', async () => {
  const { faults } = await startDeadWorker()
  await readWorkerMetrics(new LoopTime())
  expect(faults).toEqual([])
})

test('a worker that dies while all stop does not end the primary', async () => {
  const { worker, faults } = await startDeadWorker()
  tellClosedListeners(() => true)
  cluster.emit('message', worker, 'my listener is closed', undefined)
  await sleep(100)
  expect(faults).toEqual([])
})
