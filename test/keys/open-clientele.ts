import {
  type Clientele,
  ClienteleError,
  type ClienteleOptions,
  createClientele,
  type InputIssue,
  type Logger,
  type Repository,
} from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import type { JSONWebKeySet, JWK } from 'jose'
import { someEvent } from '../support/some-event.ts'

/** What was logged, to look through. */
export class LogRecorder implements Logger {
  readonly lines: { level: 'info' | 'warn' | 'error'; details: object; message: string }[] = []
  readonly info = (details: object, message: string) => this.#note('info', details, message)
  readonly warn = (details: object, message: string) => this.#note('warn', details, message)
  readonly error = (details: object, message: string) => this.#note('error', details, message)

  #note(level: 'info' | 'warn' | 'error', details: object, message: string): void {
    this.lines.push({ level, details, message })
  }
}

export function openRepository(url: string): Repository {
  return url.startsWith('sqlite:')
    ? sqlite({ filename: url.slice('sqlite:'.length) })
    : postgres({ connectionString: url, maxConnections: 4 })
}

export const testSecret = 'a secret of the tests, 32 characters'

/** For tests whose processes are under different secrets. */
export async function removeSigningKeys(url: string): Promise<void> {
  const repository = openRepository(url)
  for (const { accountId, id } of await listAllKeys(repository))
    await repository.signingKeys.remove(accountId, id, someEvent(accountId))
  await repository.storage.close()
}

/** The stored signing keys of all accounts. */
export async function listAllKeys(repository: Repository) {
  const lowest = '00000000-0000-0000-0000-000000000000'
  const accountIds = await repository.signingKeys.listAccounts(lowest, 1_000)
  const lists = accountIds.map(async (accountId) => {
    const keys = await repository.signingKeys.list(accountId)
    return keys.map((key) => ({ accountId, ...key }))
  })
  return (await Promise.all(lists)).flat()
}

/** The public key set of an account, as verifiers read it. */
export async function readKeySet(
  clientele: Clientele,
  accountId: string,
): Promise<JSONWebKeySet & { keys: (JWK & { kid: string })[] }> {
  const { body } = await send(
    clientele,
    'GET',
    `/client/account/${accountId}/.well-known/jwks.json`,
  )
  return body as unknown as Awaited<ReturnType<typeof readKeySet>> // as the operation's answer is documented
}

/** Hashing that costs next to nothing: what is tested is not the cost of a hash. */
export const cheapHashing = { memoryKiB: 64, passes: 1, lanes: 1 }

/** One process's view of a database: open several on the same URL to have several processes. */
export async function openClientele(
  url: string,
  options: Partial<ClienteleOptions> = {},
): Promise<Clientele> {
  return createClientele({
    repository: openRepository(url),
    secrets: [testSecret],
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
    ...options,
  })
}

export interface Answer {
  status: number
  // What a test says of it, it has looked at.
  body: Record<string, unknown>
}

/** Sends a request as an adapter would, without a server. */
export async function send(
  clientele: Clientele,
  method: string,
  url: string,
  {
    key,
    body,
    type = 'application/json',
    idempotencyKey,
    isGone,
  }: {
    key?: string
    body?: unknown
    type?: string
    idempotencyKey?: string
    isGone?: (() => boolean) | undefined
  } = {},
): Promise<Answer> {
  const headers: Record<string, string> = {}
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  if (body !== undefined) headers['content-type'] = type
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  const response = await clientele.handle({
    method,
    url,
    mountPath: '',
    headers,
    rawHeaders: Object.entries(headers).flat(),
    body: new Blob([]).stream(),
    parsedBody: body,
    isGone,
  })
  return { status: response?.status ?? 0, body: JSON.parse(response?.body || '{}') }
}

/** The code of the error that a promise rejects with; undefined when it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** What a refused input is refused for; empty where something else is wrong, or nothing. */
export async function issuesOf(promise: Promise<unknown>): Promise<readonly InputIssue[]> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  return error instanceof ClienteleError ? error.issues : []
}

export async function pointersOf(promise: Promise<unknown>): Promise<string[]> {
  return (await issuesOf(promise)).map(({ pointer }) => pointer)
}
