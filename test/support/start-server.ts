import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { runsEveryTest } from './slow-tests.ts'
import {
  cliScript,
  hostEnvironment,
  type RunningProcess,
  root,
  startProcess,
  toRunning,
} from './start-process.ts'

/** What the process that runs servers is sent, as a line of JSON. */
export interface ServerRequest {
  /** The packed package's module that reads the command line */
  main: string
  environment: Record<string, string>
  cwd: string
  endMark: string
}

/** Both outputs have it behind what a server wrote, and then the exit code. */
const endMark = '\u0004'

/** Of a server's process, what its tests use */
export type RunningServer = Omit<RunningProcess, 'child'> & {
  child: Pick<ChildProcess, 'kill'>
}

/** Processes whose server has ended well */
const free: ChildProcess[] = []

/**
 * Starts the packed server in an environment that has only what is given. To start its process takes five times what the
 * server takes: a process that has loaded the package runs one server after the other. With EVERY_TEST each server is a
 * process, as it is for users; so is one with several workers, and one that Node itself is told something for.
 */
export function startServer(environment: Record<string, string>, cwd = root): RunningServer {
  const { WORKERS = '1', NODE_OPTIONS } = environment
  if (runsEveryTest || WORKERS !== '1' || NODE_OPTIONS !== undefined)
    return startProcess(cliScript, [], environment, cwd)
  const child = free.pop() ?? startRunner()
  const written = { output: '', errors: '' }
  const waiting = new Set<() => void>()
  const { promise: ended, resolve } = Promise.withResolvers<number | null>()
  let hasEnded = false
  const hearOutput = (chunk: string): void => hear('output', chunk)
  const hearErrors = (chunk: string): void => hear('errors', chunk)
  const hearExit = (code: number | null): void => end(code)
  child.stdout?.on('data', hearOutput)
  child.stderr?.on('data', hearErrors)
  child.on('close', hearExit)

  function hear(name: keyof typeof written, chunk: string): void {
    written[name] += chunk
    for (const look of waiting) look()
    const marks = Object.values(written).map((text) => endOf(text))
    const [mark] = marks
    if (mark !== undefined && marks.every((each) => each !== undefined)) end(mark)
  }

  function end(code: number | null): void {
    hasEnded = true
    child.stdout?.off('data', hearOutput)
    child.stderr?.off('data', hearErrors)
    child.off('close', hearExit)
    // One that failed to start may have left something open.
    if (code === 0 && child.exitCode === null) free.push(child)
    else child.kill('SIGKILL')
    resolve(code)
  }

  const { PATH = '' } = hostEnvironment
  const request: ServerRequest = {
    main: join(cliScript, '../main.js'),
    environment: { PATH, ...environment },
    cwd,
    endMark,
  }
  child.stdin?.write(`${JSON.stringify(request)}\n`)
  const read = (name: keyof typeof written) => written[name].split(endMark, 1)[0] ?? ''
  return toRunning({
    // The process may have another server by then.
    child: { kill: (signal) => !hasEnded && child.kill(signal) },
    output: () => read('output'),
    errors: () => read('errors'),
    onOutput: (look) => waiting.add(look),
    ended,
  })
}

/** The exit code behind the mark, once it is there. */
function endOf(text: string): number | undefined {
  const [, code] = text.split(endMark)
  return code?.endsWith('\n') ? Number(code) : undefined
}

/** It ends with this process: its standard input closes. */
function startRunner(): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = hostEnvironment
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-runner.ts')], {
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    stdio: 'pipe',
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  // A server that ends at once reads nothing more.
  child.stdin.on('error', () => {})
  return child
}
