import {
  type Account,
  type Clientele,
  type ClienteleOptions,
  createClientele,
  type Mail,
  type Repository,
  toWire,
} from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import { expect } from 'vitest'
import type { OpenDatabase, TestDatabase } from '../../support/databases.ts'
import { logIn } from '../../support/log-in.ts'
import type { Deviation, Mounting, StartedTarget, Target } from '../targets/target.ts'
import { type Answer, time, type WireUser } from './answers.ts'
import { expectDocumented } from './documented.ts'
import { type Reply, type Sent, send } from './send.ts'

export const password = 'correct horse'
const secrets = ['an encryption secret for tests only, of no worth']
/** The cheapest parameters that argon2 takes: what is tested here is not how slow it is. */
export const hashing = { memoryKiB: 8, passes: 1, lanes: 1 }

export class Clock {
  now = Date.parse(time)
  read = (): number => this.now
}

/** One server of one framework on one database. */
export interface Combination {
  target: Target
  mounting: Mounting
  clientele: Clientele
  server: StartedTarget
  clock: Clock
  /** Opens another Clientele on the same tables, which the case closes */
  openAnother(more: Partial<ClienteleOptions>): Promise<Clientele>
  mailing: Mailing
}

/** Another process on the same database, which can send mail, and what it has sent. */
export interface Mailing {
  clientele: Clientele
  mails: Mail[]
}

export async function openMailing(
  ...[url, clock, more]: Parameters<typeof openClientele>
): Promise<Mailing> {
  const mails: Mail[] = []
  const sendMail = async (mail: Mail) => {
    mails.push(mail)
  }
  return { mails, clientele: await openClientele(url, clock, { ...more, sendMail }) }
}

export async function openClientele(
  url: string,
  clock = new Clock(),
  more: Partial<ClienteleOptions> = {},
): Promise<Clientele> {
  const repository = more.repository ?? openByUrl(url)
  // What goes wrong in a case is looked for in its answer; that mails have no way out is a case of its own.
  const logger = { info: () => {}, warn: () => {}, error: console.error }
  const passwords = { hashing }
  return createClientele({ repository, secrets, clock: clock.read, passwords, logger, ...more })
}

/** Opens another Clientele on a repository, which outlives it. */
export function openOnSame(repository: Repository, clock: Clock): Combination['openAnother'] {
  const storage = { ...repository.storage, close: async () => {} }
  return (more) => openClientele('', clock, { repository: { ...repository, storage }, ...more })
}

function openByUrl(url: string): Repository {
  return url.startsWith('sqlite:')
    ? sqlite({ filename: url.slice('sqlite:'.length) })
    : postgres({ connectionString: url, maxConnections: 8 })
}

/** Opens a database with a Clientele on it. */
export async function openDatabase(
  database: TestDatabase,
  more: Partial<ClienteleOptions> = {},
): Promise<{
  opened: OpenDatabase
  clientele: Clientele
  clock: Clock
  mailing: Mailing
}> {
  const opened = await database.open()
  const clock = new Clock()
  const clientele = await openClientele(opened.url, clock, more)
  return { opened, clock, clientele, mailing: await openMailing(opened.url, clock, more) }
}

export interface Tenant {
  account: Account
  key: string
}

export async function createTenant(clientele: Clientele, name = 'Acme'): Promise<Tenant> {
  const account = await clientele.accounts.create({ name })
  return { account, key: (await clientele.apiKeys.create(account.id)).apiKey }
}

export interface Call extends Omit<Sent, 'path'> {
  /** Below the mount */
  path?: string
  /** `json` is sent as JSON with its content type, `body` as it is. */
  json?: unknown
  /** @default the account's key; null sends none */
  key?: string | null
}

/** What a case works with: an account of its own, behind the server of a combination. */
export class World implements Tenant {
  readonly combination: Combination
  readonly account: Account
  readonly key: string
  readonly caseName: string

  constructor(combination: Combination, { account, key }: Tenant, caseName: string) {
    this.combination = combination
    this.account = account
    this.key = key
    this.caseName = caseName
  }

  get clientele(): Clientele {
    return this.combination.clientele
  }

  get clock(): Clock {
    return this.combination.clock
  }

  get prefix(): string {
    return this.combination.server.prefix
  }

  /** Creates a user in process. */
  async createUser(email = 'ada@example.com', more: object = {}): Promise<WireUser> {
    const input = { name: 'Ada Lovelace', email, password, ...more }
    return toWire((await this.clientele.users.create(this.account.id, input)).user)
  }

  async logIn(email = 'ada@example.com'): Promise<string> {
    return (await logIn(this.clientele, this.account.id, { email, password })).token
  }

  /** Has a code mailed that signs a user in, by the process that can. */
  async mailSignInCode(email = 'ada@example.com') {
    const { clientele, mails } = this.combination.mailing
    const sent = () => mails.filter(({ accountId }) => accountId === this.account.id)
    const before = sent().length
    const asked = await clientele.auth.mailSignInCode(this.account.id, { email })
    await expect.poll(() => sent().length).toBeGreaterThan(before)
    const mail = sent().at(-1)
    if (mail?.kind !== 'sign_in_code') throw new Error('No code was mailed.')
    return { challenge: asked.challenge, code: mail.code, token: mail.token }
  }

  otherTenant(): Promise<Tenant> {
    return createTenant(this.clientele, 'Globex')
  }

  /** Sends a request. Its answer is as the OpenAPI document says. */
  async send(call: Call): Promise<Reply> {
    const { path = '/client/user', json, key = this.key, headers = [], ...rest } = call
    const authorization = key === null ? [] : ['authorization', `Bearer ${key}`]
    const isJson = 'json' in call
    const type = isJson ? ['content-type', 'application/json'] : []
    const fields = [...authorization, ...type, ...headers]
    const body = isJson ? JSON.stringify(json) : rest.body
    const sent = { ...rest, path: this.prefix + path, headers: fields, body }
    const reply = await send(this.combination.server.origin, sent)
    const { target } = this.combination
    if (this.#findDeviation() === undefined) {
      const index = fields.findIndex((field, at) => at % 2 === 0 && /^content-type$/i.test(field))
      const mediaType = index === -1 ? undefined : fields[index + 1]
      const asked = { method: call.method ?? 'GET', path, type: mediaType, body }
      // Frameworks hand on what the core answers, as the differential test shows.
      const isWhole = target.name === 'bare'
      await expectDocumented(this.clientele, asked, reply, isWhole)
    }
    return reply
  }

  #findDeviation(): Deviation | undefined {
    const { target, mounting } = this.combination
    return target.deviations.find(
      ({ cases, mountings }) =>
        cases.includes(this.caseName) && (mountings === undefined || mountings.includes(mounting)),
    )
  }

  /** Sends a request and holds the answer against what it must be, to the letter. */
  async check(call: Call, answer: Answer): Promise<Reply> {
    const reply = await this.send(call)
    const wanted = this.#findDeviation()?.answer ?? answer
    const headers = Object.fromEntries(
      Object.entries(wanted.headers).map(([name, value]) => [
        name,
        value.replaceAll('<prefix>', this.prefix),
      ]),
    )
    if (wanted.body instanceof RegExp) {
      expect(reply.body).toMatch(wanted.body)
      expect({ ...reply, body: '' }).toEqual({ status: wanted.status, headers, body: '' })
    } else {
      // An id that the expectation does not know is any UUIDv7.
      const id = /"id":"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"/
      const made = wanted.body.includes('<id>') ? (id.exec(reply.body)?.[1] ?? '<none>') : '<none>'
      const seen = JSON.parse(JSON.stringify(reply).replaceAll(made, '<id>'))
      expect(seen).toEqual({ status: wanted.status, headers, body: wanted.body })
    }
    return reply
  }
}
