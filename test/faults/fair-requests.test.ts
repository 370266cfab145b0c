import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clienteleListener } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openClientele, send } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'

const requests = runsEveryTest ? 400 : 150
/** It takes a millisecond to say what is wrong with it. */
const bodyOf = (name: string) =>
  JSON.stringify({ name, roles: Array.from({ length: 1_000 }, () => 0) })

describe.each(anyDatabase)('many requests of one account on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Awaited<ReturnType<typeof openClientele>>
  let server: Server
  let keys: { busy: string; other: string }
  const agent = new Agent({ keepAlive: true, maxFreeSockets: requests + 1 })

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
    const add = async (name: string) => {
      const { id } = await clientele.accounts.create({ name })
      return (await clientele.apiKeys.create(id)).apiKey
    }
    keys = { busy: await add('Busy'), other: await add('Other') }
    server = createServer(clienteleListener(clientele)).listen(0, '127.0.0.1')
    // What one test opens, the next one uses.
    server.keepAliveTimeout = 600_000
    await once(server, 'listening')
  })
  afterAll(async () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
    await clientele.close()
    await database.close()
  })

  /** Answers with the status. */
  function ask(
    key: string,
    path = '/client/user',
    body = bodyOf('Ada'),
  ): Promise<number | undefined> {
    const { port } = server.address() as AddressInfo // it listens on TCP
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path, headers }
    return new Promise((resolve, reject) => {
      request(options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
        .on('error', reject)
        .end(body)
    })
  }

  /** A turn of the event loop takes one connection, and hears all that are open. */
  async function openConnections(): Promise<void> {
    const opened = Array.from({ length: requests + 1 }, () => ask(keys.other, '/client/none'))
    expect(new Set(await Promise.all(opened))).toEqual(new Set([404]))
  }

  test('by callers without a key do not delay a request of an account', async () => {
    await openConnections()
    let refused = 0
    // Each goes on: on PostgreSQL a fast machine refuses all first requests while it looks up the key of the account.
    const rounds = 4
    const those = Array.from({ length: requests }, async () => {
      for (let round = 0; round < rounds; round++) {
        expect(await ask('cu_nobody')).toBe(401)
        refused++
      }
    })
    const other = ask(keys.other).then((status) => ({ status, place: refused }))
    await Promise.all(those)
    const { status, place } = await other
    expect(status).toBe(422)
    // Of the first ones it came last.
    expect(place).toBeLessThan((rounds * requests) / 2)
  })

  test('by callers without a key leave public documents their answers', async () => {
    const those = Array.from({ length: 2_000 }, () =>
      send(clientele, 'GET', '/client/user', { key: 'cu_nobody' }),
    )
    await Promise.race(those)
    const document = send(clientele, 'GET', '/client/user/openapi.json')
    expect(new Set((await Promise.all(those)).map(({ status }) => status))).toEqual(new Set([401]))
    expect((await document).status).toBe(200)
  })

  test('do not delay a request of another account', async () => {
    await openConnections()
    let answered = 0
    const those = Array.from({ length: requests }, async () => {
      expect(await ask(keys.busy)).toBe(422)
      answered++
    })
    const other = ask(keys.other).then((status) => ({ status, place: answered }))
    await Promise.all(those)
    const { status, place } = await other
    expect(status).toBe(422)
    // It came last.
    expect(place).toBeLessThan(requests / 2)
  })

  test('are not all parsed before the body of another account', async () => {
    await openConnections()
    const parsed: string[] = []
    const { parse } = JSON
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const [, name] = /^\{"name":"(busy|other)"/.exec(text) ?? []
      if (name !== undefined) parsed.push(name)
      return parse(text, reviver)
    })
    onTestFinished(() => spy.mockRestore())
    const send = (name: keyof typeof keys) => ask(keys[name], '/client/user', bodyOf(name))
    const those = Array.from({ length: requests }, () => send('busy'))
    expect(new Set(await Promise.all([...those, send('other')]))).toEqual(new Set([422]))
    expect(parsed).toHaveLength(requests + 1)
    // It came last.
    expect(parsed.indexOf('other')).toBeLessThan(requests / 2)
  })
})
