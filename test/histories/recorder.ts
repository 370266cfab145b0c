import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation, Question, SeenEvent, SeenUser, Told } from './history.ts'
import type { ServerProcess } from './server-process.ts'

const password = 'correct horse'
const timeoutMs = 10_000
const pauseMs = 20

/** A user, a session and so on, as the HTTP contract has them: what is read of it. */
interface Body {
  id?: string
  email?: string
  metadata?: Record<string, number>
  data?: { token?: string; refresh_token?: string } | Body[]
}

interface FeedPage {
  data: {
    id: string
    type: string
    request_id: string
    subject: { type: string; id: string | null }
    data: { user?: { metadata: Record<string, number> } }
  }[]
  next_cursor: string
  has_more: boolean
}

/** Asks servers, and writes down what was asked and told, and when. */
export class Recorder {
  readonly operations: Operation[] = []
  readonly #servers: readonly ServerProcess[]
  apiKey = ''

  constructor(servers: readonly ServerProcess[]) {
    this.#servers = servers
  }

  /** Asks the server with this number; while it is down, waits. */
  async ask(server: number, asked: Question): Promise<Operation> {
    const id = `question-${this.operations.length}`
    const operation: Operation = { id, start: 0, end: 0, asked }
    this.operations.push(operation)
    const base = await this.#waitFor(server)
    operation.start = performance.now()
    const told = await this.#send(base, id, asked).catch(() => undefined)
    operation.end = performance.now()
    if (told !== undefined && told.status < 500) operation.told = told
    return operation
  }

  /** Follows the feed until `isOver`, and everything that was committed by then has been read. */
  async follow(server: number, limit: number, isOver: () => boolean): Promise<SeenEvent[]> {
    const events: SeenEvent[] = []
    let after = ''
    for (;;) {
      const wasOver = isOver()
      const query = `limit=${limit}&wait=${wasOver ? 0 : 1}${after && `&after=${after}`}`
      const page = await this.#read<FeedPage>(server, `/client/event?${query}`)
      if (page === undefined) continue
      events.push(...page.data.map(toSeenEvent))
      after = page.next_cursor
      if (wasOver && !page.has_more) return events
    }
  }

  async listUsers(): Promise<SeenUser[]> {
    const users: SeenUser[] = []
    for (let page = 1; ; page++) {
      const found = await this.#read<{ data: Body[] }>(0, `/client/user?limit=100&page=${page}`)
      if (found === undefined) continue
      users.push(...found.data.map(toSeenUser))
      if (found.data.length < 100) return users
    }
  }

  /** Undefined: the server does not answer now. */
  async #read<Page>(server: number, path: string): Promise<Page | undefined> {
    const base = await this.#waitFor(server)
    const response = await this.#fetch(base, path, { method: 'GET' }).catch(() => undefined)
    // A server may be killed between the head of an answer and its end.
    const text = await response?.text().catch(() => undefined)
    if (response !== undefined && text !== undefined && response.status < 500) {
      if (response.status === 200) return JSON.parse(text) as Page // as the operation is documented
      throw new Error(`${path}: ${text}`)
    }
    await sleep(pauseMs)
    return undefined
  }

  async #waitFor(server: number): Promise<string> {
    for (;;) {
      const base = this.#servers[server % this.#servers.length]?.base
      if (base !== undefined) return base
      await sleep(pauseMs)
    }
  }

  #fetch(base: string, path: string, { method, headers, body }: Request): Promise<Response> {
    const authorization = `Bearer ${this.apiKey}`
    return fetch(base + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
  }

  async #send(base: string, id: string, asked: Question): Promise<Told> {
    const { path, method, headers, body } = toRequest(asked)
    const response = await this.#fetch(base, path, {
      method,
      headers: { ...headers, 'x-request-id': id },
      body,
    })
    const text = await response.text()
    const answer: Body = text === '' ? {} : JSON.parse(text)
    const told: Told = { status: response.status }
    const etag = response.headers.get('etag')
    if (etag !== null) told.etag = etag
    if (response.status >= 300) return told
    const { data } = answer
    if (Array.isArray(data)) told.users = data.map(toSeenUser)
    else if (data !== undefined)
      Object.assign(told, { token: data.token, refreshToken: data.refresh_token })
    else if (answer.id !== undefined) told.user = toSeenUser(answer)
    return told
  }
}

interface Request {
  method: string
  headers?: Record<string, string> | undefined
  body?: object | undefined
}

function toRequest(asked: Question): Request & { path: string } {
  switch (asked.kind) {
    case 'create': {
      const body = { name: 'Ada', email: asked.email, password }
      return { method: 'POST', path: '/client/user', body }
    }
    case 'change': {
      const { userId, etag, member, count } = asked
      const headers = etag === undefined ? undefined : { 'if-match': etag }
      const body = { metadata: { [member]: count } }
      return { method: 'PATCH', path: `/client/user/${userId}`, headers, body }
    }
    case 'read':
      return { method: 'GET', path: `/client/user/${asked.userId}` }
    case 'find':
      return { method: 'GET', path: `/client/user?email=${encodeURIComponent(asked.email)}` }
    case 'delete':
      return { method: 'DELETE', path: `/client/user/${asked.userId}` }
    case 'log in':
      return post('login', { email: asked.email, password })
    case 'refresh':
      return post('refresh', { refresh_token: asked.refreshToken })
    case 'log out':
      return post('logout', { refresh_token: asked.refreshToken })
    case 'validate':
      return post('validation-token', { token: `Bearer ${asked.token}` })
  }
}

function post(name: string, body: object): Request & { path: string } {
  return { method: 'POST', path: `/client/user/auth/${name}`, body }
}

function toSeenUser({ id = '', email = '', metadata = {} }: Body): SeenUser {
  return { id, email, counts: metadata }
}

function toSeenEvent({ id, type, request_id, subject, data }: FeedPage['data'][number]): SeenEvent {
  return {
    id,
    type,
    requestId: request_id,
    userId: subject.type === 'user' ? subject.id : null,
    counts: data.user?.metadata ?? {},
  }
}
