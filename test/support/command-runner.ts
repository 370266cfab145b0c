// A process of its own that runs commands for `run-command.ts`: whatever a command sees of its process is put in place of what
// is there, and taken away again. SQLite must not be in one process twice, so that the tests cannot do it in theirs.

import { pathToFileURL } from 'node:url'
import type { CommandRequest, EndedCommand } from './run-command.ts'

let count = 0
const home = process.cwd()
const hostEnvironment = { ...process.env }
const signals = ['SIGINT', 'SIGTERM'] as const
const written = { output: '', errors: '' }
/** What the program had done when it called `process.exit`, which ends it, and not this process */
let ended: EndedCommand | undefined
/** Every timer that was set, until the command has ended */
const timers = new Set<NodeJS.Timeout>()

capture(process.stdout, 'output')
capture(process.stderr, 'errors')
keepTimers()
process.exit = (code) => {
  process.exitCode = code
  ended ??= describeEnd()
  throw new Error('The program has ended.')
}

process.on('message', async (request: CommandRequest) => {
  process.send?.(await run(request))
})

async function run({ main, args, environment, cwd }: CommandRequest): Promise<EndedCommand> {
  written.output = ''
  written.errors = ''
  process.argv = [process.execPath, main, ...args]
  process.env = { ...hostEnvironment, ...environment }
  process.exitCode = undefined
  ended = undefined
  process.chdir(cwd ?? home)
  try {
    // The modules that it shares with the other commands are loaded once.
    await import(`${pathToFileURL(main).href}?command=${count++}`)
  } catch (error) {
    if (ended === undefined) throw error
  } finally {
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
    for (const signal of signals) process.removeAllListeners(signal)
    endTimers()
  }
  return ended ?? describeEnd()
}

function describeEnd(): EndedCommand {
  return { code: Number(process.exitCode ?? 0), ...written }
}

/** Keeps what is written to a stream. */
function capture(stream: NodeJS.WriteStream, name: keyof typeof written): void {
  stream.write = (
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const tell = typeof encoding === 'function' ? encoding : done
    if (tell !== undefined) setImmediate(tell)
    return true
  }
}

function keepTimers(): void {
  const { setTimeout: once, setInterval: often } = globalThis
  const keep = (timer: NodeJS.Timeout): NodeJS.Timeout => {
    timers.add(timer)
    return timer
  }
  type Task = (...given: unknown[]) => void
  const setOnce = (task: Task, milliseconds = 1, ...given: unknown[]): NodeJS.Timeout =>
    keep(once(task, milliseconds, ...given))
  const setOften = (task: Task, milliseconds = 1, ...given: unknown[]): NodeJS.Timeout =>
    keep(often(task, milliseconds, ...given))
  Object.assign(globalThis, { setTimeout: setOnce, setInterval: setOften })
}

/** A process ends before the timers that it does not wait for. */
function endTimers(): void {
  for (const timer of timers) if (!timer.hasRef()) clearTimeout(timer)
  timers.clear()
}
