import type {
  Clientele,
  ClienteleOptions,
  ConsoleOptions,
  HttpRequest,
  Mountable,
} from '@clientele/core'
import { expect } from 'vitest'
import { Clock, openClientele } from '../http/support/world.ts'

/** What stands in for the page's files. */
export const files: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><title>The page</title>',
  'assets/main-1a2b3c.js': 'export {}',
  'assets/main-1a2b3c.css': ':root {}',
  'assets/icon-1a2b3c.svg': '<svg/>',
  'secret.js': 'nobody asks for this one',
}

export const readFile: ConsoleOptions['readFile'] = async (name) => files[name]

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Undefined where there is none */
  text: string | undefined
  /** Of a text that is JSON */
  json: Record<string, unknown>
}

export interface Asked {
  body?: unknown
  headers?: Record<string, string>
  /** Of an operator: which account it is about */
  accountId?: string
  clientAddress?: string
}

/** A Clientele with its console, without a framework or a socket, under a clock that tests move. */
export class ConsoleWorld {
  readonly clock = new Clock()
  readonly logged: unknown[] = []
  readonly #opened: Clientele[] = []

  async open(url: string, more: Partial<ClienteleOptions> = {}): Promise<Clientele> {
    const note = (...line: unknown[]) => void this.logged.push(line)
    const logger = { info: note, warn: note, error: note }
    const clientele = await openClientele(url, this.clock, { logger, ...more })
    this.#opened.push(clientele)
    return clientele
  }

  /** All that was logged, as text. */
  get log(): string {
    return JSON.stringify(this.logged, (_name, value: unknown) =>
      value instanceof Error ? { ...value, text: String(value), cause: value.cause } : value,
    )
  }

  async close(): Promise<void> {
    for (const clientele of this.#opened.splice(0)) await clientele.close()
  }
}

/** A browser at the page: it keeps the cookie that it is given, as long as it is told to. */
export class Browser {
  readonly #mounted: Mountable
  readonly #mountPath: string
  cookie: string | undefined

  constructor(clientele: Clientele, options: Partial<ConsoleOptions> = {}, mountPath = '/api/v1') {
    this.#mounted = clientele.console.routes({ readFile, ...options })
    this.#mountPath = mountPath
  }

  /** Sends what the page sends: `path` stands below `/client/console/`. */
  ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { accountId, headers } = asked
    return this.askPlainly(method, `/client/console/${path}`, {
      ...asked,
      headers: {
        'clientele-console': '1',
        'sec-fetch-site': 'same-origin',
        ...(accountId !== undefined && { 'clientele-account': accountId }),
        ...headers,
      },
    })
  }

  /** Sends a request with no header of the page's, to any address below the mount. */
  async askPlainly(method: string, url: string, asked: Asked = {}): Promise<Answer> {
    const { body, clientAddress } = asked
    const headers: Record<string, string> = {
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...asked.headers,
    }
    const content = body === undefined ? [] : [JSON.stringify(body)]
    const request: HttpRequest = {
      method,
      url,
      mountPath: this.#mountPath,
      headers,
      rawHeaders: Object.entries(headers).flat(),
      body: new Blob(content).stream(),
      clientAddress,
    }
    // The members of a request may be those of a class: none need be its own.
    const response = await this.#mounted.handle(Object.create(request))
    if (response === undefined) throw new Error(`${url} is no path of the console`)
    const { status, body: text } = response
    const set = response.headers['set-cookie']
    if (set !== undefined) this.cookie = /^([^;]+=[^;]+);/.exec(set)?.[1]
    const isJson = response.headers['content-type']?.includes('json') === true
    return { status, headers: response.headers, text, json: isJson ? JSON.parse(text ?? '{}') : {} }
  }

  /** Opens an account's session. */
  async signIn(apiKey: string): Promise<this> {
    const { status, text } = await this.ask('POST', 'session', { body: { api_key: apiKey } })
    expect([status, text]).toEqual([201, expect.any(String)])
    return this
  }

  /** Opens an operator's session by a link. */
  async followLink(clientele: Clientele): Promise<this> {
    const { token } = await clientele.console.createLink()
    const { status } = await this.ask('POST', 'session', { body: { link: token } })
    expect(status).toBe(201)
    return this
  }
}

/** What an answer says: its status, and the code of a problem. */
export function outcome({ status, json }: Answer): [number, unknown] {
  return [status, json.code]
}
