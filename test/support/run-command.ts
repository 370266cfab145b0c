import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { runsEveryTest } from './slow-tests.ts'
import { cliScript, hostEnvironment, startProcess } from './start-process.ts'

export interface EndedCommand {
  /** The exit code */
  code: number | null
  /** Standard output */
  output: string
  /** Standard error */
  errors: string
}

/** What the process that runs commands is sent, one at a time. It answers with an `EndedCommand`. */
export interface CommandRequest {
  /** The packed package's module that reads the command line */
  main: string
  args: readonly string[]
  environment: Record<string, string>
  cwd: string | undefined
}

/**
 * Runs a command of the packed package to its end, in an environment that has only what is given. To start a process takes
 * ten times what most commands take: one process for all tests of this one loads the package once, and runs one command after
 * the other. With EVERY_TEST each command is a process, as it is for users.
 */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  cwd?: string,
): Promise<EndedCommand> {
  if (runsEveryTest) {
    const running = startProcess(cliScript, args, environment, cwd)
    return { code: await running.ended, output: running.output(), errors: running.errors() }
  }
  return runInTurn(args, environment, cwd)
}

/** The same in one process for all commands, also with EVERY_TEST: for a hundred of them that start alike. */
export async function runInTurn(
  args: readonly string[],
  environment: Record<string, string>,
  cwd?: string,
): Promise<EndedCommand> {
  const main = join(cliScript, '../main.js')
  const ended = lastCommand.then(() => ask({ main, args, environment, cwd }))
  lastCommand = ended.catch(() => {})
  return ended
}

let lastCommand: Promise<unknown> = Promise.resolve()
let runner: ChildProcess | undefined

/** It ends with this process: the channel between them closes. */
function startRunner(): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = hostEnvironment
  const child = fork(join(import.meta.dirname, 'command-runner.ts'), {
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    execArgv: [],
  })
  child.on('exit', () => {
    if (runner === child) runner = undefined
  })
  return child
}

function ask(request: CommandRequest): Promise<EndedCommand> {
  runner ??= startRunner()
  const child = runner
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`It ended with ${code}.`))
    child.once('exit', fail)
    // What it answers is what it was written to answer.
    child.once('message', (answer) => {
      child.off('exit', fail)
      resolve(answer as EndedCommand)
    })
    child.send(request)
  })
}
