import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clientele, createClientele, type Logger, type Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask } from '../support/ask.ts'
import { type OpenDatabase, openEmptyDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { TcpProxy } from './tcp-proxy.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }
const secrets = ['a secret of at least thirty-two characters']
const hashing = { memoryKiB: 64, passes: 1 }

interface House {
  clientele: Clientele
  userUrl: string
  ask(method: string, url: string, body?: object): Promise<Answer>
}

async function openHouse(repository: Repository): Promise<House> {
  const clientele = await createClientele({
    repository,
    secrets,
    logger: quiet,
    passwords: { hashing },
  })
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id)
  const { user } = await clientele.users.create(account.id, person('ada'))
  return {
    clientele,
    userUrl: `/client/user/${user.id}`,
    ask: (method, url, body) => ask(clientele, apiKey, method, url, body),
  }
}

function person(name: string) {
  return { name, email: `${name}@example.com`, password: 'correct horse battery staple' }
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.code]).toEqual([503, 'storage_unavailable'])
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
  expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|timeout|terminat|SQLITE/i)
}

const kill = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

describe('PostgreSQL', () => {
  let database: OpenDatabase
  let proxy: TcpProxy
  let house: House

  beforeAll(async () => {
    database = await openEmptyDatabase('postgres')
    const url = new URL(database.url)
    proxy = new TcpProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(await proxy.accept())
    const timeLimits = { connectionSeconds: 1, lockSeconds: 1, statementSeconds: 1 }
    house = await openHouse(postgres({ connectionString: url.href, maxConnections: 4, timeLimits }))
  })
  afterAll(async () => {
    await house.clientele.close()
    await proxy.refuse()
    await database.close()
  })

  /** Reads and writes by one statement and by transactions. */
  function askMany(rounds: number): Promise<Answer[]> {
    const requests = Array.from({ length: rounds }, (_, index) => [
      house.ask('GET', house.userUrl),
      house.ask('PUT', house.userUrl, { ...person('ada'), password: undefined }),
      house.ask('PUT', house.userUrl, person('ada')),
      house.ask('GET', `/client/user?page=1&limit=${index + 1}`),
    ])
    return Promise.all(requests.flat())
  }
  async function expectHealed(): Promise<void> {
    // A dead connection is noticed when the news arrives: a request before that is answered 503.
    await sleep(100)
    const answers = await askMany(2)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }

  test('killed connections: 503 or success, and the next requests succeed', async () => {
    let unavailable = 0
    for (let round = 0; round < 15; round++) {
      const answers = askMany(6)
      await sleep(round)
      await runSql(database.url, kill)
      for (const answer of await answers) {
        if (answer.status === 200) continue
        expectUnavailable(answer)
        unavailable++
      }
    }
    expect(unavailable).toBeGreaterThan(0)
    await expectHealed()
  })

  test('idle connections that are killed are replaced', async () => {
    await expectHealed()
    await runSql(database.url, kill)
    await sleep(100)
    await expectHealed()
  })

  test('cut connections', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = askMany(4)
      await sleep(round)
      proxy.cut()
      for (const answer of await answers) if (answer.status !== 200) expectUnavailable(answer)
    }
    await expectHealed()
  })

  test('a database that is down: 503, and recovery without a restart', async () => {
    await proxy.refuse()
    for (const answer of await askMany(2)) expectUnavailable(answer)
    await expect(house.clientele.ping()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await proxy.accept()
    await expectHealed()
    await expect(house.clientele.ping()).resolves.toBeUndefined()
  })

  test('a network that swallows everything: 503 within the time limits', async () => {
    await expectHealed()
    proxy.stall()
    // A connection (1 s) and then a statement (1.2 s): without these limits the test would not end.
    for (const answer of await askMany(3)) expectUnavailable(answer)
    proxy.resume()
    await expectHealed()
  })

  test('a locked row: 503 within the time limit, while others are served', async () => {
    const pool = new Pool({ connectionString: database.url })
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query('select id from clientele_users for update')
    const [reading, writing] = await Promise.all([
      house.ask('GET', house.userUrl),
      house.ask('PUT', house.userUrl, person('ada')),
    ])
    expect(reading.status).toBe(200)
    expectUnavailable(writing)
    await holder.query('rollback')
    holder.release()
    await pool.end()
    await expectHealed()
  })

  test("a pool of the host's own survives idle connections that are killed", async () => {
    const pool = new Pool({ connectionString: database.url, max: 3 })
    const guest = await openHouse(postgres({ pool, schema: 'guest' }))
    await Promise.all([1, 2, 3].map(() => guest.ask('GET', guest.userUrl)))
    await runSql(database.url, kill)
    await sleep(100)
    expect((await guest.ask('GET', guest.userUrl)).status).toBe(200)
    await guest.clientele.close()
    // It is the host's to close.
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })
})

describe('SQLite', () => {
  test('a file that another process has locked: others are served, then 503, then it heals', async () => {
    const database = await openEmptyDatabase('sqlite')
    const filename = database.url.slice('sqlite:'.length)
    const house = await openHouse(sqlite({ filename, lockTimeoutSeconds: 0.5 }))
    const worker = spawn(process.execPath, [
      join(import.meta.dirname, 'storage-worker.ts'),
      'lock',
      database.url,
    ])
    const exited = once(worker, 'exit')
    await once(worker.stdout, 'data')

    let isWriting = true
    const writing = house.ask('POST', '/client/user', person('grace')).finally(() => {
      isWriting = false
    })
    let served = 0
    while (isWriting) {
      expect((await house.ask('GET', house.userUrl)).status).toBe(200)
      await sleep(1)
      served++
    }
    expectUnavailable(await writing)
    expect(served).toBeGreaterThan(20)

    // A write that waits when the lock goes is done.
    const patient = house.ask('POST', '/client/user', person('grace'))
    worker.stdin.end('\n')
    expect((await patient).status).toBe(201)
    await exited
    await house.clientele.close()
    await database.close()
  })

  test('a file that is locked at the start, or is not a database, is reported by its code', async () => {
    const database = await openEmptyDatabase('sqlite')
    const filename = database.url.slice('sqlite:'.length)
    const holder = new Sqlite(filename)
    holder.exec('create table t (id integer); begin exclusive')
    const open = (file: string) => () => sqlite({ filename: file, lockTimeoutSeconds: 0.1 })
    expect(open(filename)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }))
    holder.exec('rollback')
    holder.close()
    expect(open(filename)).not.toThrow()
    const text = `${filename}.txt`
    writeFileSync(text, 'This is no database. '.repeat(100))
    expect(open(text)).toThrow(expect.objectContaining({ code: 'configuration_invalid' }))
    await database.close()
  })

  test('a closed database is a 503', async () => {
    const house = await openHouse(sqlite({ filename: ':memory:' }))
    await house.clientele.close()
    expectUnavailable(await house.ask('GET', house.userUrl))
  })
})
