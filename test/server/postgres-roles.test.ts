import { randomBytes } from 'node:crypto'
import { type Clientele, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openEmptyDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const secrets = ['a secret for tests that is long enough']

describe('roles of PostgreSQL that may not do everything', () => {
  let database: OpenDatabase
  /** Owns a schema that an administrator made, and may make no other */
  const owner = `clientele_owner_${randomBytes(4).toString('hex')}`
  /** May read and write rows */
  const server = `clientele_server_${randomBytes(4).toString('hex')}`

  beforeAll(async () => {
    database = await openEmptyDatabase('postgres')
    const name = new URL(database.url).pathname.slice(1)
    await runSql(
      database.url,
      `create role ${owner} login password 'secret'`,
      `create role ${server} login password 'secret'`,
      `revoke create on database ${name} from public`,
      `create schema clientele authorization ${owner}`,
      `grant usage on schema clientele to ${server}`,
      `alter default privileges for role ${owner} in schema clientele
         grant select, insert, update, delete on tables to ${server}`,
    )
  })
  afterAll(async () => {
    await runSql(
      database.url,
      `drop schema clientele cascade`,
      `drop owned by ${owner}, ${server}`,
      `drop role ${owner}, ${server}`,
    )
    await database.close()
  })

  async function start(role: string, options: { migrate?: boolean } = {}): Promise<Clientele> {
    const url = new URL(database.url)
    url.username = role
    url.password = 'secret'
    url.searchParams.set('schema', 'clientele')
    const repository = await openRepository(url.href)
    try {
      return await createClientele({ repository, secrets, ...options })
    } catch (error) {
      await repository.storage.close()
      throw error
    }
  }

  test('a role that may not create tables gets the missing migrations and the required rights', async () => {
    await expect(start(server, { migrate: false })).rejects.toMatchObject({
      code: 'migration_missing',
      message: expect.stringContaining('0001-initial'),
    })
    await expect(start(server)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('MIGRATE=false'),
    })
  })

  test('an existing schema is migrated by its owner', async () => {
    const clientele = await start(owner)
    await clientele.accounts.create({ name: 'Acme' })
    await clientele.close()
  })

  test.each([{ migrate: false }, {}])(
    'rights on the rows suffice to serve, with %o',
    async (options) => {
      const clientele = await start(server, options)
      const account = await clientele.accounts.create({ name: 'Acme' })
      const credentials = { email: 'ada@example.com', password: 'correct horse' }
      const { user } = await clientele.users.create(account.id, { name: 'Ada', ...credentials })
      await clientele.users.patch(account.id, user.id, { name: 'Grace', roles: ['admin'] })
      const signedIn = await clientele.auth.logIn(account.id, credentials)
      expect(signedIn).toHaveProperty('token')
      expect((await clientele.users.list(account.id)).total).toBe(1)
      await clientele.accounts.recount(account.id)
      await clientele.users.delete(account.id, user.id)
      await clientele.close()
    },
  )
})
