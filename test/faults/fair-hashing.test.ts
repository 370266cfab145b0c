import { Agent, request } from 'node:http'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type RunningProcess, serverScript, startProcess } from '../support/start-process.ts'

const secret = 'a secret of the tests, 32 characters'
const password = 'the right password'
const atOnce = 25
const rounds = 2
/** With those that are measured, as many as may wait. */
const ofTheirOwnKind = 100

interface Tenant {
  accountId: string
  key: string
}

interface Answer {
  status: number
  milliseconds: number
}

describe.each(databases)('hashing passwords on $name', ({ open }) => {
  let database: OpenDatabase
  let server: RunningProcess
  let url: string
  let guessed: Tenant
  let other: Tenant
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })

  beforeAll(async () => {
    database = await open()
    const environment = { DATABASE_URL: database.url, CLIENTELE_SECRET: secret, PORT: '0' }
    const repository = await openRepository(database.url)
    const clientele = await createClientele({ repository, secrets: [secret] })
    const addTenant = async (name: string): Promise<Tenant> => {
      const { id } = await clientele.accounts.create({ name })
      return { accountId: id, key: (await clientele.apiKeys.create(id)).api_key }
    }
    guessed = await addTenant('Guessed at')
    other = await addTenant('Other')
    for (let index = 0; index < atOnce; index++)
      await clientele.users.create(other.accountId, {
        name: 'Ada',
        email: emailOf(index),
        password,
      })
    await clientele.close()
    server = startProcess(serverScript, [], { ...environment, LOG_LEVEL: 'warn' })
    const [, base] = await server.waitFor(/^Listening on (\S+)$/m)
    url = `${base}/client/user/auth/login`
  })
  afterAll(async () => {
    agent.destroy()
    server.child.kill('SIGTERM')
    await server.ended
    await database.close()
  })

  function emailOf(index: number): string {
    return `ada-${index}@example.com`
  }

  function logIn(key: string, email: string): Promise<Answer> {
    const body = JSON.stringify({ email, password })
    const start = performance.now()
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      sent.on('response', (response) => {
        response.resume().on('end', () => {
          const milliseconds = performance.now() - start
          resolve({ status: response.statusCode ?? 0, milliseconds })
        })
      })
      sent.on('error', reject).end(body)
    })
  }

  /** The users of the other account sign in, all at once, again and again. */
  async function logInAll(): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let round = 0; round < rounds; round++) {
      const all = Array.from({ length: atOnce }, (_, index) => logIn(other.key, emailOf(index)))
      answers.push(...(await Promise.all(all)))
    }
    return answers
  }

  /** Keeps so many connections busy while something is done, and answers with the statuses that they got. */
  async function meanwhile<T>(
    connections: number,
    attempt: (connection: number, round: number) => Promise<Answer>,
    work: () => Promise<T>,
  ): Promise<{ result: T; statuses: Map<number, number> }> {
    let isOver = false
    const statuses = new Map<number, number>()
    const keepBusy = async (connection: number): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const { status } = await attempt(connection, round)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const busy = Promise.all(Array.from({ length: connections }, (_, each) => keepBusy(each)))
    const result = await work()
    isOver = true
    await busy
    return { result, statuses }
  }

  test('200 connections that guess through one key leave the other accounts their turns', async () => {
    const { result: among } = await meanwhile(
      ofTheirOwnKind,
      (connection) => logIn(other.key, emailOf(connection % atOnce)),
      logInAll,
    )
    const { result: beside, statuses } = await meanwhile(
      200,
      (connection, round) => logIn(guessed.key, `nobody-${connection}-${round}@example.com`),
      logInAll,
    )
    expect(among.map(({ status }) => status)).toEqual(among.map(() => 200))
    // The right passwords pass, every one; guesses are wrong, or too many.
    expect(beside.map(({ status }) => status)).toEqual(beside.map(() => 200))
    expect([...statuses.keys()].sort()).toEqual([401, 503])
    expect(percentile99(beside)).toBeLessThan(3 * percentile99(among))
  }, 240_000)
})

function percentile99(answers: readonly Answer[]): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}
