import { spawn, spawnSync } from 'node:child_process'
import { cliScript, hostEnvironment } from './start-process.ts'

/** Whether this machine has util-linux's `script`, which makes a pseudo-terminal. */
export const hasTerminal =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

/**
 * Runs a command of the packed package in a terminal to its end, and returns the exit code and what the
 * terminal was sent.
 *
 * @param interruptAt Ctrl-C is pressed once the terminal shows this.
 */
export async function runInTerminal(
  args: readonly string[],
  environment: Record<string, string>,
  interruptAt?: RegExp,
): Promise<{ code: unknown; screen: string }> {
  const command = [process.execPath, cliScript, ...args].join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...hostEnvironment, TERM: 'xterm-256color', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  let isInterrupted = false
  child.stdout.on('data', (chunk) => {
    screen += chunk
    if (isInterrupted || interruptAt === undefined || !interruptAt.test(screen)) return
    isInterrupted = true
    child.stdin.write('\x03')
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, screen: screen.replaceAll('\r\n', '\n') }
}
