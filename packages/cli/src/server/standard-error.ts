import { pino } from 'pino'

/** Lines are buffered up to this size, in UTF-16 units. A pipe holds four such batches. */
const batchLength = 12 * 1024
/** The longest time in the buffer, in milliseconds */
const flushPauseMs = 100
/** How many bytes may wait for a slow reader. Further lines are dropped and counted. */
const maxWaitingBytes = 8 * 1024 * 1024
/** How often the end of the process retries a write to a slow reader, a tenth of a second apart */
const maxTriesAtEnd = 10

/** Standard error for log lines: written in batches, in the background, in order. */
export interface StandardError {
  /** Writes a line and its line break. It never waits for the reader. */
  write(line: string): void
  /** Resolves when all earlier lines are written, or after a second without a reader. */
  flush(): Promise<void>
}

let opened: StandardError | undefined

/** The standard error of this process. At its end, even in a crash, the remaining lines are written. */
export function openStandardError(): StandardError {
  opened ??= open()
  return opened
}

function open(): StandardError {
  let waiting = ''
  let leftOut = 0
  let triesAtEnd = 0
  let isEnding = false
  // Before the destination's own exit handler, which would block for ever without a reader.
  process.on('exit', () => {
    isEnding = true
    try {
      hand()
      destination.flushSync()
    } catch {
      // Do not wait for a reader that does not read now.
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
  // The error cannot be reported anywhere; requests are answered without a log.
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
      // With each write, the destination measures its whole buffer: so give it many lines as one.
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
