import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How often the first attempt fails */
const failsEach = 5
/** So slow that a server that is killed has some on their way */
const delayMs = 15

/** Takes webhooks, and refuses the first attempt of some events. */
export class WebhookReceiver {
  refuses = true
  readonly received: string[] = []
  readonly #seen = new Set<string>()
  readonly #server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume().on('end', () => {
      const isFirst = !this.#seen.has(id)
      this.#seen.add(id)
      const isRefused = isFirst && this.refuses && this.#seen.size % failsEach === 0
      if (!isRefused) this.received.push(id)
      setTimeout(() => response.writeHead(isRefused ? 500 : 204).end(), delayMs)
    })
  })

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook` // it listens on TCP
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
