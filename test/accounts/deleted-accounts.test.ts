import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount, newTenant, nextId } from '../repository/world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a request that outlives the account, on $name', ({ name, open }) => {
  let database: OpenDatabase
  let repository: ReturnType<typeof repositoryOf>
  beforeAll(async () => {
    database = await open()
    repository = repositoryOf(database.url)
  })
  afterAll(async () => {
    await repository.storage.close()
    await database.close()
  })

  const listEvents = (accountId: string): Promise<unknown[]> =>
    runSql(database.url, `select id from clientele_events where account_id = '${accountId}'`)

  test.each(['no user', 'a user'])('leaves no event, about %s', async (whom) => {
    const { accountId, user } = await newTenant(repository)
    const id = whom === 'a user' ? user.id : null
    const event = { ...someEvent(accountId), subject: { type: 'user' as const, id } }
    const before = await listEvents(accountId)
    expect(await repository.events.append(accountId, event)).toBe(true)
    expect(await listEvents(accountId)).toHaveLength(before.length + 1)
    await repository.accounts.delete(accountId)
    expect(await repository.events.append(accountId, { ...event, id: nextId() })).toBe(false)
    expect(await listEvents(accountId)).toEqual([])
  })

  test.runIf(name === 'postgres')('waits with its event for the deletion', async () => {
    const accountId = await newAccount(repository)
    const deleter = new Client({ connectionString: database.url })
    await deleter.connect()
    try {
      await deleter.query('begin')
      await deleter.query('delete from clientele_accounts where id = $1', [accountId])
      let isWritten = false
      const writing = repository.events.append(accountId, someEvent(accountId)).then(() => {
        isWritten = true
      })
      await sleep(200)
      expect(isWritten).toBe(false)
      await deleter.query('commit')
      await writing
      expect(await listEvents(accountId)).toEqual([])
    } finally {
      await deleter.end()
    }
  })
})
