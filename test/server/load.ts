import { Agent, request } from 'node:http'
import type { RunningServer } from '../support/start-server.ts'

export async function findServer(running: RunningServer): Promise<{ base: string; key: string }> {
  const [, base = ''] = await running.waitFor(/^Listening on (http\S+)$/m)
  const [, key = ''] = await running.waitFor(/^API key: (cu_\S+)$/m)
  return { base, key }
}

/** Callers that each keep one connection, and send until the server takes no connections any more. */
export class Load {
  answered = 0
  underWay = 0
  /** The e-mails of users whose creation was acknowledged */
  readonly created: string[] = []
  readonly #cutOff: string[] = []
  readonly #agent: Agent
  readonly #base: string
  readonly #key: string

  constructor({ base, key }: { base: string; key: string }, connections: number) {
    this.#base = base
    this.#key = key
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Answers with what was cut off. */
  async run(callers: number): Promise<string[]> {
    await Promise.all(Array.from({ length: callers }, (_, caller) => this.#call(caller)))
    this.#agent.destroy()
    return this.#cutOff
  }

  async #call(caller: number): Promise<void> {
    for (let count = 0; ; count++) {
      const email = `user-${caller}-${count}@example.com`
      const credentials = { name: 'Name', email, password: 'a password' }
      const kinds = [
        async () => {
          const fault = await this.#send('POST', '/client/user', credentials)
          if (fault === undefined) this.created.push(email)
          return fault
        },
        () => this.#send('GET', '/client/user'),
        () => this.#send('POST', '/client/user/auth/login', credentials),
      ]
      const fault = await kinds[count % kinds.length]?.()
      if (fault === 'ECONNREFUSED') return
      if (fault !== undefined) this.#cutOff.push(fault)
      if (this.#cutOff.length > 100) return
    }
  }

  #send(method: string, path: string, body?: object): Promise<string | undefined> {
    this.underWay++
    return new Promise<string | undefined>((resolve) => {
      const fail = (error: Error & { code?: string }) => resolve(error.code ?? error.message)
      const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
      request(this.#base + path, { method, headers, agent: this.#agent }, (response) => {
        response.on('error', fail).on('end', () => {
          this.answered++
          resolve(undefined)
        })
        response.resume()
      })
        .on('error', fail)
        .end(body && JSON.stringify(body))
    }).finally(() => this.underWay--)
  }
}
