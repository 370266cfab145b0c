import { setTimeout as sleep } from 'node:timers/promises'
import { ClienteleError, type ImportRecord } from '@clientele/core'
import type { World } from './world.ts'

/** How many requests were answered, by operation and status */
export type Counts = Map<string, number>

const accounts = 24
/** Users that stay and sign in again and again */
const residents = 3
const password = 'a password of the soak'
const expected = new Set([200, 201, 202, 204, 304, 401, 404, 409, 412, 422, 429, 503])

interface Tenant {
  id: string
  key: string
  users: { id: string; email: string }[]
}

export interface Load {
  /** How many rounds run at once at most */
  atOnce: number
  /** Rounds a second: as many at the end as at the start, so that what is kept for a time does not grow by the machine's mood */
  pace: number
}

/** Requests of all kinds by several accounts at once, until the time is over. The number of users stays the same. */
export async function load(
  world: World,
  until: number,
  counts: Counts,
  { atOnce, pace }: Load,
): Promise<void> {
  const tenants = await Promise.all(Array.from({ length: accounts }, () => addTenant(world)))
  const startedAt = performance.now()
  let round = 0
  const work = async (): Promise<void> => {
    for (;;) {
      const number = round++
      const dueAt = startedAt + (number * 1_000) / pace
      if (dueAt >= until) return
      await sleep(Math.max(0, dueAt - performance.now()))
      if (performance.now() >= until) return count(counts, 'rounds that the pace left out')
      const tenant = tenants[number % tenants.length]
      if (tenant !== undefined) await runRound(world, tenant, number, counts)
    }
  }
  await Promise.all([
    ...Array.from({ length: atOnce }, work),
    runSideWork(world, tenants, until, counts, 2_000 / pace),
  ])
}

function count(counts: Counts, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

async function addTenant({ clientele, receiver }: World): Promise<Tenant> {
  const { id } = await clientele.accounts.create({ name: 'Soak' })
  const { apiKey: key } = await clientele.apiKeys.create(id)
  const users = []
  for (let number = 0; number < residents; number++) {
    const email = `resident-${number}@example.com`
    const { user } = await clientele.users.create(id, {
      name: `Resident ${number}`,
      email,
      password,
    })
    users.push({ id: user.id, email })
  }
  await clientele.webhooks.create(id, { url: receiver.url, types: ['*'] })
  return { id, key, users }
}

interface Answer {
  status: number
  etag: string | null
  body: Record<string, unknown>
}

async function runRound(
  world: World,
  { key, users }: Tenant,
  number: number,
  counts: Counts,
): Promise<void> {
  const ask = async (
    name: string,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${world.origin}/client${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { status } = response
    const text = await response.text()
    count(counts, `${name} ${status}`)
    if (!expected.has(status)) throw new Error(`${method} ${path} answers with ${status}: ${text}`)
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    return { status, etag: response.headers.get('etag'), body: Object(parsed) }
  }
  const dataOf = ({ body }: Answer) => Object(body.data) as Record<string, string> // as documented
  const resident = users[number % users.length]
  if (resident === undefined) return
  // A user comes and goes.
  const email = `visitor-${number}@example.com`
  const visitor = {
    name: `Visitor ${number}`,
    email,
    password,
    roles: ['guest'],
    metadata: { number },
  }
  const once = { 'idempotency-key': `key-${number}` }
  const made = await ask('create', 'POST', '/user', visitor, once)
  await ask('create again', 'POST', '/user', visitor, once)
  const path = `/user/${String(made.body.id)}`
  await ask('list', 'GET', '/user?limit=20')
  await ask('search', 'GET', '/user?q=visitor&sort=-created_at')
  const read = await ask('read', 'GET', path)
  const match = { 'if-match': read.etag ?? '"0"' }
  await ask('replace', 'PUT', path, { ...visitor, name: 'Replaced Visitor' }, match)
  await ask('patch', 'PATCH', path, { metadata: { number: number + 1 } })
  // Sessions
  const visit = await ask('sign in', 'POST', '/user/auth/login', { email, password })
  const { token, refresh_token } = dataOf(visit)
  await ask('validate', 'POST', '/user/auth/validation-token', { token: `Bearer ${token}` })
  const tokens = [`Bearer ${token}`, 'Bearer x']
  await ask('validate many', 'POST', '/user/auth/validation-tokens', { tokens })
  await ask('refresh', 'POST', '/user/auth/refresh', { refresh_token })
  const signedIn = await ask('sign in', 'POST', '/user/auth/login', {
    email: resident.email,
    password,
  })
  if (number % 2 === 0)
    await ask('sign out', 'POST', '/user/auth/logout', {
      refresh_token: dataOf(signedIn).refresh_token ?? 'none',
    })
  await ask('sign in, wrong', 'POST', '/user/auth/login', { email: resident.email, password: 'no' })
  const unknown = `nobody-${number}@example.com`
  await ask('sign in, unknown', 'POST', '/user/auth/login', { email: unknown, password })
  await ask('forgot', 'POST', '/user/auth/password/forgot', { email: resident.email })
  await ask('verify', 'POST', '/user/auth/email/verification', { email })
  // A second factor, whose challenge is left open
  await ask('factor', 'POST', `${path}/two-factor/email`)
  const asked = await ask('challenge', 'POST', '/user/auth/login', { email, password })
  const { challenge } = dataOf(asked)
  if (challenge !== undefined) {
    await ask('code', 'POST', '/user/auth/login/two-factor/email', { challenge })
    const answer = { challenge, method: 'email', code: '000000' }
    await ask('code, wrong', 'POST', '/user/auth/login/two-factor', answer)
  }
  await ask('totp', 'POST', `${path}/two-factor/totp`)
  // What others read
  await ask('events', 'GET', '/event?limit=10')
  await ask('revocations', 'GET', '/user/auth/revocation')
  await ask('sessions', 'GET', `/user/${resident.id}/session`)
  await ask('export', 'GET', `${path}/export`)
  await ask(number % 5 === 0 ? 'erase' : 'delete', ...removal(path, number))
}

function removal(path: string, number: number): [method: string, path: string] {
  return number % 5 === 0 ? ['POST', `${path}/erase`] : ['DELETE', path]
}

/** What operators do: imports that end and that are abandoned, keys, endpoints, accounts; and receivers that fail. */
async function runSideWork(
  { clientele, receiver }: World,
  tenants: readonly Tenant[],
  until: number,
  counts: Counts,
  intervalMs: number,
): Promise<void> {
  const { users, apiKeys, accounts, signingKeys } = clientele
  const startedAt = performance.now()
  /** A database that is busy with other work on the machine says so, and the operator asks again. */
  async function patiently<Result>(call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        const isBusy = error instanceof ClienteleError && error.code === 'storage_unavailable'
        if (!isBusy || performance.now() > until + 60_000) throw error
        count(counts, 'operator, 503')
        await sleep(1_000)
      }
    }
  }
  for (let number = 0; performance.now() < until; number++) {
    const tenant = tenants[number % tenants.length]
    if (tenant === undefined) return
    receiver.isRefusing = number % 4 === 0
    const name = number % 2 === 0 ? 'import' : 'import, abandoned'
    const records = () => readRecords(number, number % 2 === 1)
    await patiently(() =>
      users.import(tenant.id, records(), { source: `file ${number}` }).catch((error: unknown) => {
        if (!(error instanceof Abandoned)) throw error
      }),
    )
    for (const _ of [1, 2]) {
      const { data } = await patiently(() => users.list(tenant.id, { q: 'imported', limit: 100 }))
      for (const { id } of data) await patiently(() => deleteIfThere(users, tenant.id, id))
    }
    if (number % 10 === 0) await patiently(() => signingKeys.rotate(tenant.id))
    const { id } = await patiently(() => apiKeys.create(tenant.id))
    await patiently(() => apiKeys.revoke(tenant.id, id))
    const account = await patiently(() => accounts.create({ name: 'Passing' }))
    await patiently(() => apiKeys.create(account.id))
    await patiently(() => accounts.delete(account.id))
    await patiently(() => clientele.console.createLink())
    count(counts, name)
    const dueAt = startedAt + (number + 1) * intervalMs
    if (performance.now() > dueAt + intervalMs) count(counts, 'operator, late')
    await sleep(Math.max(0, Math.min(dueAt, until) - performance.now()))
  }
  receiver.isRefusing = false
}

/** An answer that was lost may have come after the deletion. */
async function deleteIfThere(
  users: World['clientele']['users'],
  accountId: string,
  userId: string,
) {
  await users.delete(accountId, userId).catch((error: unknown) => {
    if (!(error instanceof ClienteleError) || error.code !== 'user_not_found') throw error
  })
}

class Abandoned extends Error {}

async function* readRecords(number: number, isAbandoned: boolean): AsyncGenerator<ImportRecord> {
  // The first batch of an abandoned import is stored.
  for (let index = 0; index < 150; index++) {
    if (index === 20 && !isAbandoned) return
    const email = `imported-${number}-${index}@example.com`
    yield { line: index + 1, value: { name: 'Imported User', email } }
  }
  throw new Abandoned('The file ended too early.')
}
