import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, ClienteleOptions, NewWebhook } from '@clientele/core'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished } from 'vitest'
import { SignInWorld } from '../support/sign-in-world.ts'

/** Something that was received. */
export interface Received {
  /** `webhook-id` */
  id: string
  type: string
  subjectId: string
  body: string
  headers: Record<string, string>
}

/** A receiver on this machine, which keeps what comes until the test is over. */
export async function receive(answer: (response: ServerResponse) => void = accept) {
  const receiver = {
    url: '',
    received: [] as Received[],
    answer,
    /** How many requests were under way at once */
    mostAtOnce: 0,
    ofType: (type: string) => receiver.received.filter((each) => each.type === type),
  }
  let underWay = 0
  const server = createServer(async (request, response) => {
    underWay++
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, underWay)
    response.on('close', () => {
      underWay--
    })
    receiver.received.push(await read(request))
    receiver.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` // it listens on TCP
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

export const accept = (response: ServerResponse): void => void response.writeHead(204).end()
export const answerWith =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('nothing that is kept')
export const hang = (): void => {}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString('utf8')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const event = JSON.parse(body) as { id: string; type: string; subject: { id: string } } // ours
  return { id: event.id, type: event.type, subjectId: event.subject.id, body, headers }
}

/** What the receiver's own library makes of a message; it throws when the signature does not verify. */
export function verify(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers)
}

/** Accounts whose events are sent to receivers on this machine. */
export class WebhookWorld extends SignInWorld {
  /** Starts a process that delivers. */
  async deliver(options: Partial<ClienteleOptions> = {}): Promise<Clientele> {
    const webhooks = { deliver: true, allowPrivateAddresses: true, ...options.webhooks }
    return (await this.start({ ...options, webhooks })).clientele
  }

  async addWebhook(clientele: Clientele, input: NewWebhook, accountId?: string) {
    const id = accountId ?? (await clientele.accounts.create({ name: 'Acme' })).id
    return { accountId: id, webhook: await clientele.webhooks.create(id, input) }
  }

  /** Lets a deliverer look for what is due, and do it: another account's event comes after that. */
  async pass(clientele: Clientele): Promise<void> {
    const bystander = await receive()
    const input = { url: bystander.url, types: ['user.created'] }
    const { accountId } = await this.addWebhook(clientele, input)
    for (const count of [1, 2]) {
      await this.createUsers(clientele, accountId, 1)
      await eventually(() => bystander.received.length).toBe(count)
    }
  }

  async createUsers(clientele: Clientele, accountId: string, count: number): Promise<string[]> {
    const ids: string[] = []
    for (let index = 0; index < count; index++)
      ids.push((await this.addUser(clientele, { accountId })).user.id)
    return ids
  }
}

/** Waits until it is so; the time limit is for a machine that is busy. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 20_000, interval: 20 })
}
