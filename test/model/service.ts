import type { Clientele } from '@clientele/core'
import { ask, type Answer as Reply } from '../support/ask.ts'
import type { Answer } from './state.ts'

export type Kind = 'user' | 'token' | 'refresh' | 'secret' | 'challenge' | 'code'

const unknown = 'unknown '

/** The service as one account sees it. It gives names to what the service makes up, and knows what they stand for. */
export class Service {
  readonly #clientele: Clientele
  readonly #key: string
  readonly clock: { now: number }
  /** Deletes expired rows of the account. */
  readonly sweep: () => Promise<void>
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, string>()
  readonly #ofKind: Record<Kind, string[]> = {
    user: [],
    token: [],
    refresh: [],
    secret: [],
    challenge: [],
    code: [],
  }
  /** The version of each user that was seen last */
  readonly versions = new Map<string, number>()
  /** Which user a secret was made for */
  readonly owners = new Map<string, string>()

  constructor(
    clientele: Clientele,
    key: string,
    clock: { now: number },
    sweep: () => Promise<void>,
  ) {
    this.#clientele = clientele
    this.#key = key
    this.clock = clock
    this.sweep = sweep
  }

  async send(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await ask(this.#clientele, this.#key, method, path, body, headers)
    if (reply.status >= 500) throw new Error(`${method} ${path} is answered ${reply.status}`)
    return reply
  }

  /** The name of a value that was seen before, or this new one. */
  nameOf(kind: Kind, value: unknown, newName: string): string {
    const text = String(value)
    const known = this.#names.get(text)
    if (known !== undefined) return known
    // Two values where there should be one: no model has a name like that.
    const name = this.#values.has(newName) ? `another ${newName}` : newName
    this.#names.set(text, name)
    this.#values.set(name, text)
    this.#ofKind[kind].push(name)
    return name
  }

  /** The name of a value that must have been seen before. */
  known(value: unknown): string {
    return this.#names.get(String(value)) ?? `${unknown}${value}`
  }

  /** The same answer with names for what another answer, which came later, has named. */
  nameLater(answer: Answer): Answer {
    return JSON.parse(JSON.stringify(answer), (member, value) => {
      if (member === 'users' && Array.isArray(value)) return value.sort()
      const isUnknown = typeof value === 'string' && value.startsWith(unknown)
      return isUnknown ? this.known(value.slice(unknown.length)) : value
    })
  }

  valueOf(name: string): string {
    return this.#values.get(name) ?? name
  }

  /** One of all that were made so far: 0 is the latest. */
  pick(kind: Kind, choice: number): string | undefined {
    const names = this.#ofKind[kind].toSorted((one, other) => numberOf(one) - numberOf(other))
    return names.at(-1 - (choice % names.length))
  }

  all(kind: Kind): readonly string[] {
    return this.#ofKind[kind]
  }

  /** A user in an answer, or the problem. */
  readUser({ status, headers, body }: Reply, newName: string): Answer {
    if (status >= 400) return problemOf({ status, headers, body })
    const user = this.nameOf('user', body.id, newName)
    const version = Number(headers.etag?.slice(1, -1))
    this.versions.set(user, version)
    const { email, name, is_active } = body
    return { status, user, version, email, name, is_active }
  }
}

function numberOf(name: string): number {
  return Number(/[\d.]+$/.exec(name)?.[0])
}

export function problemOf({ status, body }: Reply): Answer {
  return status >= 400 ? { status, code: String(body.code) } : { status }
}
