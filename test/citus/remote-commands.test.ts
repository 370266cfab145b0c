import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cheapHashing, LogRecorder, send } from '../keys/open-clientele.ts'
import { newUser as newUserRow } from '../repository/world.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { citusUrl, type DistributedTables, openDistributed } from './open-distributed.ts'

if (citusUrl === '') test.skip('a Citus cluster (skipped: CITUS_URL names none)', () => {})
else describe('what the coordinator sends to other servers', describeCommands)

function describeCommands(): void {
  const commands: string[] = []
  let tables: DistributedTables
  let pool: Pool
  let clientele: Clientele
  let accountId: string
  let key: string

  beforeAll(async () => {
    tables = await openDistributed()
    pool = new Pool({ connectionString: citusUrl, options: '-c citus.log_remote_commands=on' })
    pool.on('connect', (client) => {
      client.on('notice', ({ message = '' }) => {
        if (message.startsWith('issuing ')) commands.push(message.slice('issuing '.length))
      })
    })
    clientele = await createClientele({
      repository: postgres({ pool, schema: tables.schema }),
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing: cheapHashing },
      logger: new LogRecorder(),
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    key = (await clientele.apiKeys.create(accountId)).apiKey
    // Notes the key's use, which is done once a minute.
    await clientele.apiKeys.authenticate(key)
    await vi.waitFor(async () => {
      const [found] = await clientele.apiKeys.list(accountId)
      expect(found?.lastUsedAt).not.toBeNull()
    })
  })
  afterAll(async () => {
    await clientele.close()
    await pool.end()
    await tables.close()
  })

  const isRead = expect.stringMatching(/^SELECT .*clientele_read\(/)
  const newUser = () => ({
    name: 'Ada Lovelace',
    email: `${randomUUID()}@example.com`,
    password: 'password',
    roles: ['a', 'b'],
  })

  async function commandsOf(call: () => Promise<unknown>): Promise<string[]> {
    // The first call opens connections, makes a signing key, and reads what is remembered from then on.
    await call()
    commands.length = 0
    await call()
    return commands.slice()
  }
  const sendOk = async (method: string, url: string, body?: object) => {
    const { status } = await send(clientele, method, url, { key, ...(body && { body }) })
    expect(status).toBeLessThan(300)
  }

  test('a validation is one command', async () => {
    const user = newUser()
    await clientele.users.create(accountId, user)
    const { token } = await logIn(clientele, accountId, user)
    const body = { token: `Bearer ${token}` }
    const sent = await commandsOf(() => sendOk('POST', '/client/user/auth/validation-token', body))
    expect(sent).toEqual([isRead])
  })

  test('a list is one command beside the look-up of the API key', async () => {
    expect(await commandsOf(() => clientele.users.list(accountId))).toEqual([isRead])
    const sent = await commandsOf(() => sendOk('GET', '/client/user?limit=10&page=1'))
    expect(sent).toEqual([isRead, isRead])
  })

  test('a create is one command beside the look-up of the API key or account', async () => {
    const sent = await commandsOf(() => sendOk('POST', '/client/user', newUser()))
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatch(/^SELECT .*clientele_write\(/)
    expect(await commandsOf(() => clientele.users.create(accountId, newUser()))).toHaveLength(2)
  })

  test('a create with an idempotency key is five commands: the look for its answer, and a transaction', async () => {
    const create = () =>
      clientele.users.create({ accountId, idempotencyKey: randomUUID() }, newUser())
    const sent = await commandsOf(create)
    expect(sent.filter((command) => !command.includes('clientele_accounts'))).toHaveLength(5)
  })

  test('a role without rights of an owner sends the same', async () => {
    const role = `server_${randomUUID().replaceAll('-', '')}`
    const schema = `"${tables.schema.replaceAll('"', '""')}"`
    await runSql(
      citusUrl,
      `create role ${role} login`,
      `grant usage on schema ${schema} to ${role}`,
      `grant select, insert, update, delete on all tables in schema ${schema} to ${role}`,
      `grant usage on all sequences in schema ${schema} to ${role}`,
    )
    const url = new URL(citusUrl)
    url.username = role
    const sent: string[] = []
    const poolOfRole = new Pool({
      connectionString: url.href,
      options: '-c citus.log_remote_commands=on',
    })
    poolOfRole.on('connect', (client) => {
      client.on('notice', ({ message = '' }) => sent.push(message))
    })
    const { users, storage } = postgres({ pool: poolOfRole, schema: tables.schema })
    await storage.missingMigrations()
    const user = newUserRow()
    // The first calls open connections.
    await users.list(accountId, { page: 1, limit: 10 })
    await users.create(accountId, newUserRow(), someEvent(accountId))
    sent.length = 0
    expect(await users.create(accountId, user, someEvent(accountId))).toBe('created')
    const { total } = await users.list(accountId, { page: 1, limit: 10 })
    expect(total).toBeGreaterThan(1)
    expect(sent.filter((message) => message.startsWith('issuing '))).toEqual([
      expect.stringContaining('clientele_write('),
      expect.stringContaining('clientele_read('),
    ])
    await poolOfRole.end()
    await runSql(citusUrl, `drop owned by ${role}`, `drop role ${role}`)
  })

  test('a create with an address that is taken writes nothing, in none of the tables', async () => {
    const user = newUser()
    await clientele.users.create(accountId, user)
    const count = () =>
      runSql(
        citusUrl,
        ['users', 'user_roles', 'user_words', 'user_count_deltas', 'events']
          .map(
            (name) =>
              `select count(*) as count from "${tables.schema.replaceAll('"', '""')}".clientele_${name}`,
          )
          .join(' union all '),
      )
    const before = await count()
    await expect(clientele.users.create(accountId, user)).rejects.toMatchObject({
      code: 'email_taken',
    })
    expect(await count()).toEqual(before)
  })
}
