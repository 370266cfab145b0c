import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { insertRows } from '../support/run-sql.ts'

const manyEmails = 2_500

describe.each(databases)('the former addresses of a person on $name', ({ open }) => {
  let opened: RecordedClientele
  beforeAll(async () => {
    opened = await openRecordedClientele(open)
  })
  afterAll(() => opened.close())

  test('are read in parts, and all of them are in the export, with the events that name them', async () => {
    const { clientele, recorded, database } = opened
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, input)
    const typed = { email: 'former1700@example.com', password: 'a wrong one' }
    await expect(clientele.auth.logIn(accountId, typed)).rejects.toThrow()
    await insertRows(database.url, 'clientele_former_emails', manyEmails, {
      account_id: `'${accountId}'`,
      user_id: `'${user.id}'`,
      email: "'former' || n || '@example.com'",
    })
    recorded.take()
    const { formerEmails, events } = await clientele.users.exportData(accountId, user.id)
    const all = Array.from({ length: manyEmails }, (_, n) => `former${n + 1}@example.com`)
    expect(formerEmails).toEqual(all.sort())
    expect(events.map(({ type }) => type)).toEqual(['user.created', 'user.login_failed'])
    const reads = recorded
      .take()
      .filter(({ sql }) => sql.startsWith('select "email" from "clientele_former_emails"'))
    // For the addresses, and for the events that name them
    expect(reads).toHaveLength(6)
  })
})
