// A process of its own that runs servers for `start-server.ts`, one after the other: a line of standard input starts one, a
// signal stops it, and what it writes is what is written here. What ends a server's process ends the server.

import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { ServerRequest } from './start-server.ts'

const signals = ['SIGINT', 'SIGTERM'] as const
let count = 0

for await (const line of createInterface({ input: process.stdin })) {
  // What is written to it is written by `start-server.ts`.
  await start(JSON.parse(line) as ServerRequest)
}

async function start({ main, environment, cwd, endMark }: ServerRequest): Promise<void> {
  process.argv = [process.execPath, main, 'serve']
  process.env = environment
  process.chdir(cwd)
  let hasEnded = false
  Object.assign(process, {
    exit: (code = 0) => {
      if (hasEnded) return
      hasEnded = true
      for (const signal of signals) process.removeAllListeners(signal)
      for (const stream of [process.stdout, process.stderr]) {
        stream.removeAllListeners('error')
        stream.write(`${endMark}${code}\n`)
      }
    },
  })
  // The modules that it shares with the servers before it are loaded once.
  await import(`${pathToFileURL(main).href}?server=${count++}`)
}
