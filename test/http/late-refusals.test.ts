import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, openClientele, openRepository } from '../keys/open-clientele.ts'
import { ScimWorld } from '../scim/scim-world.ts'
import { anyDatabase } from '../support/databases.ts'

/** After this time a caller is authenticated anew, in milliseconds. */
const longMs = 1_100

describe.each(anyDatabase)('a caller who is refused meanwhile, on $name', ({ open }) => {
  async function serve(options: Partial<ClienteleOptions> = {}, maxSockets = 1) {
    const database = await open()
    const clientele = await openClientele(database.url, options)
    const server = createServer(clienteleListener(clientele, { prefix: '/api/v1' }))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const agent = new Agent({ keepAlive: true, maxSockets })
    onTestFinished(async () => {
      agent.destroy()
      server.close()
      await clientele.close()
      await database.close()
    })
    const { port } = server.address() as AddressInfo // it listens at a port
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey, id: keyId } = await clientele.apiKeys.create(accountId)
    const begin = (method: string, path: string, type = 'application/json') => {
      const sent = httpRequest({
        ...{ agent, port, method },
        path: `/api/v1/client/user${path}`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      })
      const answered = once(sent, 'response').then(async ([response]: IncomingMessage[]) => ({
        status: response?.statusCode,
        body: response && (await readText(response)),
      }))
      return { sent, answered }
    }
    return { clientele, accountId, keyId, begin }
  }

  type Ending = (clientele: Clientele, accountId: string, keyId: string) => Promise<unknown>
  test.each<[string, Ending]>([
    ['key is revoked', ({ apiKeys }, accountId, keyId) => apiKeys.revoke(accountId, keyId)],
    ['account is disabled', ({ accounts }, accountId) => accounts.disable(accountId)],
  ])('changes nothing by a body that comes after the %s', async (_, end) => {
    const { clientele, accountId, keyId, begin } = await serve()
    const password = 'analytical engine'
    const input = { name: 'Ada', email: 'ada@example.com', password }
    const { user } = await clientele.users.create(accountId, input)
    const { sent, answered } = begin('PATCH', `/${user.id}`)
    const body = JSON.stringify({ password: 'of the attacker' }) + ' '.repeat(9_000)
    sent.write(body.slice(0, -1))
    await sleep(100)
    await end(clientele, accountId, keyId)
    await sleep(longMs)
    sent.end(body.slice(-1))
    expect((await answered).status).toBe(401)
    await clientele.accounts.enable(accountId)
    const typed = { email: user.email, password: 'of the attacker' }
    expect(await codeOf(clientele.auth.logIn(accountId, typed))).toBe('credentials_invalid')
  })

  test('reads nothing more by a search under way, and nothing by one that has waited for its turn', async () => {
    const database = await open()
    const repository = openRepository(database.url)
    let goOn: (() => void) | undefined
    const walk: typeof repository.scim.walk = async (...input) => {
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return repository.scim.walk(...input)
    }
    const held = { ...repository, scim: { ...repository.scim, walk } }
    const world = await ScimWorld.open(database.url, { repository: held })
    onTestFinished(async () => {
      await world.close()
      await database.close()
    })
    const { accountId, add } = await world.provider()
    await add()
    const { apiKey, id } = await world.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const headers = { authorization: `Bearer ${apiKey}` }
    const search = () =>
      world.send('GET', '/scim/v2/Users?filter=emails%20co%20%22a%22', undefined, headers)
    const [first, second] = [search(), search()]
    await expect.poll(() => goOn).toBeDefined()
    await world.clientele.apiKeys.revoke(accountId, id)
    await sleep(longMs)
    goOn?.()
    expect((await second).status).toBe(401)
    expect((await first).status).toBe(401)
  })

  test('changes nothing after it has waited for other changes of the same user', async () => {
    const database = await open()
    const repository = openRepository(database.url)
    const { scim } = repository
    let goOn: (() => void) | undefined
    const raced = async () => 'precondition_failed' as const
    const hold = () =>
      new Promise<undefined>((resolve) => {
        goOn = () => resolve(undefined)
      })
    const acts = [raced, hold, raced]
    const replaceUser: typeof scim.replaceUser = async (...input) =>
      (await acts.shift()?.()) ?? scim.replaceUser(...input)
    const held = { ...repository, scim: { ...scim, replaceUser } }
    const world = await ScimWorld.open(database.url, { repository: held })
    onTestFinished(async () => {
      await world.close()
      await database.close()
    })
    const { accountId, add, patch } = await world.provider()
    const path = `/Users/${(await add()).id}`
    const first = patch(path, { op: 'replace', path: 'displayName', value: 'Ada King' })
    await expect.poll(() => goOn).toBeDefined()
    const { apiKey, id } = await world.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const change = { Operations: [{ op: 'replace', path: 'displayName', value: 'Eve' }] }
    const headers = { authorization: `Bearer ${apiKey}` }
    const second = world.send('PATCH', `/scim/v2${path}`, change, headers)
    await expect.poll(() => acts.length).toBe(0)
    await world.clientele.apiKeys.revoke(accountId, id)
    await sleep(longMs)
    goOn?.()
    expect((await second).status).toBe(401)
    expect((await first).body.displayName).toBe('Ada King')
  })

  test('of an import leaves the connection to the next request', async () => {
    const beforeCreate = () => Promise.reject(new Error('The hook fails.'))
    const { begin } = await serve({ hooks: { beforeCreate } })
    const line = (index: number) =>
      JSON.stringify({
        name: 'Ada',
        email: `ada${index}@example.com`,
        metadata: { a: 'x'.repeat(900) },
      })
    const lines = Array.from({ length: 4_000 }, (_, index) => line(index))
    const { sent, answered } = begin('POST', '/import', 'application/x-ndjson')
    sent.end(lines.join('\n'))
    expect((await answered).status).toBe(503)
    const next = begin('GET', '')
    next.sent.end()
    expect((await next.answered).status).toBe(200)
  })

  test('of imports that have stopped takes no place, and learns of it with the rest of the body', async () => {
    const { clientele, accountId, keyId, begin } = await serve({}, 5)
    const line = JSON.stringify({ name: 'Ada', email: 'ada@example.com' })
    const stopped = Array.from({ length: 4 }, () => {
      const { sent, answered } = begin('POST', '/import', 'application/x-ndjson')
      sent.write('{"nope":1}\n'.repeat(400))
      return { sent, answered }
    })
    await sleep(300)
    const other = begin('POST', '/import?dry_run=true', 'application/x-ndjson')
    other.sent.end(line)
    expect((await other.answered).status).toBe(200)
    await clientele.apiKeys.revoke(accountId, keyId)
    await sleep(longMs)
    for (const { sent } of stopped) sent.write(`${line}\n`)
    const answers = await Promise.all(stopped.map(({ answered }) => answered))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
  })

  test('creates no user whose password has waited to be hashed', async () => {
    // Each hash takes long, and few are made at once.
    const hashing = { passes: 40 }
    const { clientele, accountId, keyId, begin } = await serve({ passwords: { hashing } }, 16)
    const answers = Array.from({ length: 16 }, async (_, index) => {
      const { sent, answered } = begin('POST', '')
      const email = `ada${index}@example.com`
      sent.end(JSON.stringify({ name: 'Ada', email, password: 'analytical engine' }))
      return (await answered).status
    })
    await sleep(300)
    await clientele.apiKeys.revoke(accountId, keyId)
    await sleep(longMs)
    const { total } = await clientele.users.list(accountId, { limit: 1 })
    expect(await Promise.all(answers)).toContain(401)
    // A few were being stored.
    expect((await clientele.users.list(accountId, { limit: 1 })).total).toBeLessThan(total + 3)
  })
})
