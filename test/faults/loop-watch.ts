import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'

export interface WorkerTask {
  task: 'watch' | 'read' | 'call'
  name?: string
}

export interface WorkerMessage {
  accountId?: string
  apiKey?: string
  port?: number
  milliseconds?: number
  outcome?: string
}

/** A server in a process of its own, whose event loop is watched. */
export interface WatchedServer {
  accountId: string
  apiKey: string
  /** Sends a request as it is written, and answers with its status. */
  send(request: string): Promise<string>
  /** Makes one of the hostile calls there, and answers with its code. */
  call(name: string): Promise<string>
  /** For how long the event loop was held at a stretch while something was done, in milliseconds of work. */
  measure(work: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

export async function startWatchedServer(databaseUrl: string): Promise<WatchedServer> {
  const child = fork(join(import.meta.dirname, 'loop-worker.ts'), [databaseUrl])
  child.setMaxListeners(0)
  const receive = async (): Promise<WorkerMessage> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('The server has ended.'))),
    ])
    return message
  }
  const ask = async (task: WorkerTask): Promise<WorkerMessage> => {
    const received = receive()
    child.send(task)
    return received
  }
  const { accountId = '', apiKey = '', port = 0 } = await receive()
  return {
    accountId,
    apiKey,
    send: (request) => sendRaw(port, request),
    call: async (name) => (await ask({ task: 'call', name })).outcome ?? '',
    measure: async (work) => {
      await ask({ task: 'watch' })
      await work()
      return (await ask({ task: 'read' })).milliseconds ?? Number.POSITIVE_INFINITY
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

function sendRaw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'no answer'))
    socket.on('error', reject)
  })
}
