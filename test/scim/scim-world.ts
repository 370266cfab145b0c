import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { scimRoutes } from '@clientele/scim'
import { openClientele } from '../keys/open-clientele.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export interface ScimAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests read what the server sends
  body: any
}

/** An account whose identity provider sends requests. */
export interface Provider {
  accountId: string
  /** Sends a request below `/scim/v2`. */
  ask(method: string, path: string, json?: unknown, headers?: object): Promise<ScimAnswer>
  /** Sends a PATCH with these operations. */
  patch(path: string, ...operations: object[]): Promise<ScimAnswer>
  /** Creates a user, and returns the resource. */
  add(user?: object): Promise<ScimAnswer['body']>
  /** The events of the account, as type, actor's type and what has changed. */
  events(): Promise<unknown[][]>
}

/** Serves SCIM below `/api/v1` by Node's own server. */
export class ScimWorld {
  readonly clientele: Clientele
  readonly #origin: string
  readonly #close: () => Promise<void>
  #count = 0

  static async open(url: string, options: Partial<ClienteleOptions> = {}): Promise<ScimWorld> {
    const clientele = await openClientele(url, options)
    const prefix = '/api/v1'
    const server = createServer(clienteleListener(scimRoutes(clientele), { prefix }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    return new ScimWorld(clientele, `http://127.0.0.1:${port}${prefix}`, async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await clientele.close()
    })
  }

  private constructor(clientele: Clientele, origin: string, close: () => Promise<void>) {
    this.clientele = clientele
    this.#origin = origin
    this.#close = close
  }

  close(): Promise<void> {
    return this.#close()
  }

  /** A new account. */
  async provider(account: { allowedRoles?: string[] } = {}): Promise<Provider> {
    const { clientele } = this
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme', ...account })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const ask: Provider['ask'] = (method, path, json, headers) =>
      this.send(method, `/scim/v2${path}`, json, { authorization: `Bearer ${apiKey}`, ...headers })
    const patch: Provider['patch'] = (path, ...operations) =>
      ask('PATCH', path, { schemas: [patchSchema], Operations: operations })
    const add: Provider['add'] = async (user = {}) => {
      const userName = `user${++this.#count}@example.com`
      const { status, body } = await ask('POST', '/Users', {
        schemas: [userSchema],
        userName,
        displayName: 'Ada Lovelace',
        ...user,
      })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body
    }
    const events: Provider['events'] = async () =>
      (await clientele.events.read(accountId, { types: ['user.*', 'group.*'] })).data.map(
        ({ type, actor, data }) => [type, actor.type, ...('changed' in data ? [data.changed] : [])],
      )
    return { accountId, ask, patch, add, events }
  }

  async send(
    method: string,
    path: string,
    json: unknown,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<ScimAnswer> {
    const response = await fetch(`${this.#origin}${path}`, {
      method,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...headers,
      },
      ...(json !== undefined && { body: typeof json === 'string' ? json : JSON.stringify(json) }),
      ...(signal !== undefined && { signal }),
    })
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body }
  }
}

export function query(path: string, parameters: Record<string, string | number>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) search.set(name, String(value))
  return `${path}?${search}`
}

export const byFilter = (path: string, filter: string): string => query(path, { filter })
