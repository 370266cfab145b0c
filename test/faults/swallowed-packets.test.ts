import { setTimeout as sleep } from 'node:timers/promises'
import { createClientele, type Logger, type Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { TcpProxy } from './tcp-proxy.ts'

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {} }

interface Timed {
  status: number
  milliseconds: number
}

async function time(work: () => Promise<number>): Promise<Timed> {
  const startedAt = performance.now()
  const status = await work()
  return { status, milliseconds: Math.round(performance.now() - startedAt) }
}

// What is promised, and how far a machine that is busy with other tests may be behind.
const answerMs = 6_000
const recoveryMs = 2_000
const slackMs = 1_000

describe('a network that swallows packets, with the time limits that are there by default', () => {
  let database: OpenDatabase
  let proxy: TcpProxy
  let url = ''

  beforeAll(async () => {
    database = await openDatabase('postgres')
    const address = new URL(database.url)
    proxy = new TcpProxy({ host: address.hostname, port: Number(address.port) })
    address.port = String(await proxy.accept())
    url = address.href
  })
  afterAll(async () => {
    await proxy.refuse()
    await database.close()
  })

  async function openHouse(repository: Repository) {
    const clientele = await createClientele({
      repository,
      secrets: ['a secret of at least thirty-two characters'],
      logger,
      passwords: { hashing: { memoryKiB: 64, passes: 1 } },
    })
    onTestFinished(() => clientele.close())
    const account = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key } = await clientele.apiKeys.create(account.id)
    const person = (name: string) => ({ name, email: `${name}@example.com`, password: 'password' })
    const { user } = await clientele.users.create(account.id, person('ada'))
    const send = (method: string, path: string, body?: object) =>
      time(async () => (await ask(clientele, key, method, path, body)).status)
    const userPath = `/client/user/${user.id}`
    const many = () => [
      send('GET', userPath),
      send('PUT', userPath, person('ada')),
      send('GET', '/client/user?page=1&limit=2'),
      send('POST', '/client/user/auth/login', person('ada')),
    ]
    return {
      read: () => send('GET', userPath),
      write: () => send('PUT', userPath, person('ada')),
      /** Enough simultaneous requests that every connection is in use */
      all: () => Promise.all(Array.from({ length: 8 }, many).flat()),
      ready: () => time(() => clientele.ping().then(...([() => 200, () => 503] as const))),
    }
  }

  /** Asks over and over, several at a time as callers do, until one is answered with success. */
  async function recover(read: () => Promise<Timed>): Promise<number> {
    const startedAt = performance.now()
    let isOver = false
    const sent: Promise<unknown>[] = []
    while (!isOver && performance.now() - startedAt < 20_000) {
      sent.push(
        read().then(({ status }) => {
          isOver ||= status === 200
        }),
      )
      await sleep(50)
    }
    const milliseconds = performance.now() - startedAt
    await Promise.all(sent)
    return Math.round(milliseconds)
  }

  const openings = {
    'our pool': () => postgres({ connectionString: url }),
    "the host's pool": () => {
      const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 5_000 })
      onTestFinished(() => pool.end())
      return postgres({ pool })
    },
  }

  test.each(Object.entries(openings))(
    '%s: every response is a 503 in time, and the recovery is noticed',
    async (_, open) => {
      const house = await openHouse(open())
      await house.all()
      proxy.stall()
      const answers: Timed[] = []
      const sent: Promise<unknown>[] = []
      const readiness: Timed[] = []
      const stalledAt = performance.now()
      while (performance.now() - stalledAt < 7_000) {
        sent.push(house.all().then((some) => answers.push(...some)))
        readiness.push(await house.ready())
        await sleep(250)
      }
      const recovering = recover(house.read)
      proxy.resume()
      const recovery = await recovering
      await Promise.all(sent)
      expect(new Set(readiness.map(({ status }) => status))).toEqual(new Set([503]))
      expect(Math.max(...readiness.map(({ milliseconds }) => milliseconds))).toBeLessThan(
        1_000 + slackMs,
      )
      expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(
        answerMs + slackMs,
      )
      expect(recovery).toBeLessThan(recoveryMs + slackMs)
    },
    60_000,
  )

  test('a short break loses requests under way, and no later ones', async () => {
    const house = await openHouse(postgres({ connectionString: url, maxConnections: 4 }))
    await house.all()
    for (const breakMs of [50, 500, 1500, 2500]) {
      proxy.stall()
      const lost = house.all()
      await sleep(breakMs)
      proxy.resume()
      const recovery = await recover(house.read)
      const slowest = Math.max(...(await lost).map(({ milliseconds }) => milliseconds))
      expect(slowest).toBeLessThan(answerMs + slackMs)
      expect(recovery).toBeLessThan(recoveryMs + slackMs)
    }
  }, 60_000)

  test('a long statement without traffic is not taken for lost', async () => {
    const house = await openHouse(postgres({ connectionString: url, maxConnections: 1 }))
    const pool = new Pool({ connectionString: database.url })
    onTestFinished(() => pool.end())
    const holder = await pool.connect()
    await holder.query('begin; select id from clientele_users for update')
    const waiting = house.write()
    await sleep(4_000)
    await holder.query('rollback')
    holder.release()
    expect((await waiting).status).toBe(200)
  })

  test('closing does not wait for servers that do not answer', async () => {
    const clientele = await createClientele({
      repository: postgres({ connectionString: url }),
      secrets: ['a secret of at least thirty-two characters'],
      logger,
    })
    await clientele.ping()
    proxy.stall()
    onTestFinished(() => proxy.resume())
    const lost = expect(clientele.accounts.list()).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    const { milliseconds } = await time(() => clientele.close().then(() => 0))
    expect(milliseconds).toBeLessThan(answerMs + slackMs)
    await lost
  })
})
