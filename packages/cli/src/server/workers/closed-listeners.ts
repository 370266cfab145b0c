import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendIfThere } from '../send-if-there.ts'

// A client that one worker disconnects connects again at once, and must not reach another worker that is about to
// close. So no worker closes connections before all workers have stopped accepting.

const mine = 'my listener is closed'
const all = 'every listener is closed'

/** How long a worker waits for the others, in milliseconds */
const patienceMs = 2_000

/** In a worker: reports that it accepts no more connections, and resolves when no worker does. */
export async function awaitClosedListeners(): Promise<void> {
  const heard = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === all) resolve()
    })
  })
  sendIfThere(process, mine)
  await Promise.race([heard, sleep(patienceMs)])
}

/**
 * In the primary: tells the workers when none of them accepts connections. If only one worker stops, it is told at
 * once.
 */
export function tellClosedListeners(isStopping: () => boolean): void {
  const closed = new Set<Worker>()
  const tell = (): void => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    if (!isStopping() || workers.every((worker) => closed.has(worker))) {
      for (const worker of closed) if (worker.isConnected()) sendIfThere(worker, all)
    }
  }
  cluster.on('message', (worker, message) => {
    if (message !== mine) return
    closed.add(worker)
    tell()
  })
  cluster.on('exit', (worker) => {
    closed.delete(worker)
    tell()
  })
}
