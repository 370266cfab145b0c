import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

export interface RunningServer {
  url: string
  /** Resident memory, in MiB; 0 where the system does not tell */
  memory(): number
  /** CPU time that it has used, in seconds; 0 where the system does not tell */
  cpuSeconds(): number
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill()
})

/** Starts one of the servers in a process of its own, which writes its URL on standard output. */
export async function startServer(
  script: string,
  args: string[],
  env: Record<string, string> = {},
  flags: string[] = [],
  errors: 'inherit' | 'ignore' = 'inherit',
): Promise<RunningServer> {
  const path = resolve(import.meta.dirname, '..', script)
  const child = spawn(process.execPath, [...flags, path, ...args], {
    stdio: ['ignore', 'pipe', errors],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  running.add(child)
  const { stdout } = child
  if (stdout === null) throw new Error('The server has no standard output.')
  const lines = createInterface({ input: stdout })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${script} ${args.join(' ')} ended before it listened.`)
  })
  const listening = new Promise<string>((resolveUrl) => {
    lines.on('line', (line) => {
      // A server without a port says that it is ready.
      const [url] = /http:\/\/\S+|^ready$/.exec(line) ?? []
      if (url !== undefined) resolveUrl(url)
    })
  })
  const url = await Promise.race([listening, ended])
  ended.catch(() => {})
  return {
    url,
    memory: () => readResidentMiB(child.pid),
    cpuSeconds: () => readCpuSeconds(child.pid),
    stop: async () => {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit.catch(() => {})
      running.delete(child)
    },
  }
}

export function readResidentMiB(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return 0
  }
}

/** Of all threads; the system counts it in hundredths of a second. */
function readCpuSeconds(pid: number | undefined): number {
  try {
    // The name of the program, in brackets, may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}
