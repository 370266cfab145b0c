import { pino } from 'pino'

/** Lines wait until there is so much of them, in UTF-16 units. A pipe takes four such batches before somebody reads. */
const batchLength = 12 * 1024
/** For no longer than this, in milliseconds */
const flushPauseMs = 100
/** How much waits for a reader that is slow, in bytes. What comes then is left out and counted. */
const maxWaitingBytes = 8 * 1024 * 1024
/** How often the end of the process tries what a slow reader does not take, a tenth of a second apart */
const maxTriesAtEnd = 10

/** Standard error as lines are written to it: some at a time, beside what the process does, and in their order. */
export interface StandardError {
  /** Writes a line with its end. It never waits for whoever reads. */
  write(line: string): void
  /** Resolves when what was written before has gone out, or after a second where nobody reads. */
  flush(): Promise<void>
}

let opened: StandardError | undefined

/** The one of this process. Its end, a crash too, writes what is left. */
export function openStandardError(): StandardError {
  opened ??= open()
  return opened
}

function open(): StandardError {
  let waiting = ''
  let leftOut = 0
  let triesAtEnd = 0
  let isEnding = false
  // Before the destination does the same by itself, without end where nobody reads.
  process.on('exit', () => {
    isEnding = true
    try {
      hand()
      destination.flushSync()
    } catch {
      // Who does not read now is not waited for.
      destination.destroy()
    }
  })
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: 1,
    maxLength: maxWaitingBytes,
    retryEAGAIN: () => !isEnding || ++triesAtEnd < maxTriesAtEnd,
  })
  // Nobody is left to be told of it, and requests are answered without a log.
  destination.on('error', () => {})
  destination.on('drop', (lines: string) => {
    leftOut += lines.split('\n').length - 1
  })
  function hand(): void {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    destination.write(lines)
  }
  destination.on('drain', () => {
    if (leftOut === 0) return
    const line = `{"level":"warn","time":"${new Date().toISOString()}","lines":${leftOut},"message":"Lines were left out: standard error was read too slowly."}\n`
    leftOut = 0
    destination.write(line)
  })
  setInterval(hand, flushPauseMs).unref()
  return {
    write: (line) => {
      // The destination measures all that waits in it with each write: it is given many lines as one.
      waiting += line
      if (waiting.length >= batchLength) hand()
    },
    flush: () => {
      hand()
      return new Promise((resolve) => {
        setTimeout(resolve, 1_000)
        destination.flush(() => resolve())
      })
    },
  }
}
