import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { installPacked } from './packed.ts'

export const root = join(import.meta.dirname, '../..')
/** What npm has installed from the packed package: what is tested is what users get. Without a command it serves. */
export const cliScript = join(
  (await installPacked()).folder,
  'node_modules/clientele/dist/clientele.js',
)

/** What finds and compiles programs, and says nothing to them. */
export const hostEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}

export interface RunningProcess {
  child: ChildProcess
  output(): string
  errors(): string
  /** Resolves with the first match in standard output; rejects when the process ends without one. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves with the exit code once the process has ended and its output is complete. */
  ended: Promise<number | null>
}

/** Starts a script of ours as users do, in an environment that has only what is given. */
export function startProcess(
  script: string,
  args: readonly string[],
  environment: Record<string, string>,
  cwd = root,
): RunningProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { ...hostEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watch(child)
}

/** Starts what `npm start` starts, as the leader of a process group of its own. */
export function startByNpm(environment: Record<string, string>): RunningProcess {
  const child = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    env: { ...hostEnvironment, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watch(child)
}

/** Starts the server as npx does: in a shell, to which alone the signals go. */
export function startByNpx(environment: Record<string, string>): RunningProcess {
  const child = spawn('sh', ['-c', '"$0" "$1"; exit $?', process.execPath, cliScript], {
    cwd: root,
    env: { ...hostEnvironment, npm_command: 'exec', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watch(child)
}

function watch(child: ChildProcess): RunningProcess {
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return toRunning({
    child,
    output: () => output,
    errors: () => errors,
    onOutput: (look) => child.stdout?.on('data', look),
    ended,
  })
}

interface Watched<Child> extends Omit<RunningProcess, 'child' | 'waitFor'> {
  child: Child
  /** Hears of all output that comes from now on */
  onOutput(look: () => void): unknown
}

export function toRunning<Child>({ onOutput, ...watched }: Watched<Child>) {
  const { output, errors, ended } = watched
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output())
        if (match !== null) resolve(match)
      }
      onOutput(look)
      ended.then(() => reject(new Error(`It ended before ${pattern}:\n${output()}\n${errors()}`)))
      look()
    })
  return { ...watched, waitFor }
}
