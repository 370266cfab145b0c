import { Agent, request } from 'node:http'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'

const secret = 'a secret for tests that is long enough'
const password = 'the right password'
const atOnce = 20
const rounds = 2

interface Tenant {
  accountId: string
  key: string
}

describe.each(databases)('hashing passwords on $name', ({ open }) => {
  let database: OpenDatabase
  let server: RunningProcess
  let url: string
  let attacked: Tenant
  let other: Tenant
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })

  beforeAll(async () => {
    database = await open()
    const environment = { DATABASE_URL: database.url, CLIENTELE_SECRET: secret, PORT: '0' }
    const repository = await openRepository(database.url)
    const clientele = await createClientele({ repository, secrets: [secret] })
    const addTenant = async (name: string): Promise<Tenant> => {
      const { id } = await clientele.accounts.create({ name })
      return { accountId: id, key: (await clientele.apiKeys.create(id)).apiKey }
    }
    attacked = await addTenant('Attacked')
    other = await addTenant('Other')
    for (let index = 0; index < atOnce; index++) {
      const email = emailOf(index)
      await clientele.users.create(other.accountId, { name: 'Ada', email, password })
    }
    await clientele.close()
    server = startProcess(cliScript, [], { ...environment, LOG_LEVEL: 'warn' })
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

  /** Answers with the status. */
  function logIn(key: string, email: string): Promise<number> {
    const body = JSON.stringify({ email, password })
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
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.on('error', reject).end(body)
    })
  }

  /** The users of the other account sign in, all at once, again and again. */
  async function logInAll(): Promise<number[]> {
    const statuses: number[] = []
    for (let round = 0; round < rounds; round++) {
      const all = Array.from({ length: atOnce }, (_, index) => logIn(other.key, emailOf(index)))
      statuses.push(...(await Promise.all(all)))
    }
    return statuses
  }

  /** Tries passwords on a number of simultaneous connections until it is stopped. */
  function startAttack(connections: number) {
    const statuses = new Map<number, number>()
    const count = (status: number): number => statuses.get(status) ?? 0
    let isOver = false
    const keepBusy = async (connection: number): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const status = await logIn(attacked.key, `nobody-${connection}-${round}@example.com`)
        statuses.set(status, count(status) + 1)
      }
    }
    const ended = Promise.all(Array.from({ length: connections }, (_, each) => keepBusy(each)))
    const end = async (): Promise<number[]> => {
      isOver = true
      await ended
      return [...statuses.keys()].sort()
    }
    return { count, end }
  }

  test('140 connections that try passwords through one key leave the other accounts their turns', async () => {
    const attack = startAttack(140)
    // From here on as many attempts wait as may.
    await expect.poll(() => attack.count(503), { timeout: 60_000 }).toBeGreaterThan(0)
    const before = attack.count(401)
    const signedIn = await logInAll()
    const hashedAttempts = attack.count(401) - before
    // The right passwords pass, every one; the others are wrong, or too many.
    expect(signedIn).toEqual(Array(rounds * atOnce).fill(200))
    expect(await attack.end()).toEqual([401, 503])
    // An attempt has its turn after each sign-in. If sign-ins waited for all attempts before them, 128 would come first.
    expect(hashedAttempts).toBeLessThan(3 * signedIn.length)
  }, 120_000)
})
