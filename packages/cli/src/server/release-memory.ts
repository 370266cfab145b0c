import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const mebibyte = 1024 * 1024

const defaults = {
  /** How often the memory is looked at */
  everyMilliseconds: 500,
  /** For how long the process must do almost nothing before memory is given back */
  idleMilliseconds: 5_000,
}

/** The share of the time in which an idle process works: timers, and a check of readiness now and then */
const idleShare = 0.02
/** A collection takes about 50 ms: for less than this it is not worth it. */
const worthwhileBytes = 16 * mebibyte
/**
 * On a machine with much memory, V8 lets garbage grow to three times of what is used, and keeps it. That costs least time, and
 * is right for a small heap. A heap above this size grows by half at most.
 */
const largeHeapBytes = 128 * mebibyte
const growthOfLargePercent = 50

type Collect = (options: object) => Promise<void>

/**
 * Gives memory back to the system while the server is idle: V8 itself keeps what a load has taken, also the garbage of the
 * start. While the heap is large, it grows less. Returns the function that ends this.
 */
export function releaseMemory({ everyMilliseconds, idleMilliseconds } = defaults): () => void {
  const looksWhileIdle = Math.ceil(idleMilliseconds / everyMilliseconds)
  let idleLooks = 0
  let isLarge = false
  let keptBytes = 0
  let before = performance.eventLoopUtilization()
  let collect: Collect | undefined

  async function look(): Promise<void> {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (getHeapStatistics().total_heap_size > largeHeapBytes !== isLarge) {
      isLarge = !isLarge
      // It has an effect from the next collection on. 0 is what V8 does by itself.
      setFlagsFromString(`--heap-growing-percent=${isLarge ? growthOfLargePercent : 0}`)
    }
    idleLooks = utilization < idleShare ? idleLooks + 1 : 0
    if (idleLooks < looksWhileIdle || process.memoryUsage.rss() < keptBytes + worthwhileBytes)
      return
    collect ??= findCollect()
    // The only flavor that also gives back the pages that have become free. It collects several times, after which V8 takes
    // every function for unused: without the flag the next requests would run uncompiled code.
    setFlagsFromString('--no-flush-bytecode')
    await collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
    setFlagsFromString('--flush-bytecode')
    keptBytes = process.memoryUsage.rss()
    idleLooks = 0
  }

  const timer = setInterval(() => void look(), everyMilliseconds)
  timer.unref()
  return () => clearInterval(timer)
}

function findCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const collect: Collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return collect
}
