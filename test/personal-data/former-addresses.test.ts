import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { insertRows } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

const manyEmails = 2_500

describe.each(databases)('the former addresses of a person on $name', ({ name, open }) => {
  let opened: RecordedClientele
  beforeAll(async () => {
    opened = await openRecordedClientele(open)
  })
  afterAll(() => opened.close())

  test('are a thousand at most in an export, with the events that name them', async () => {
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
    const { formerEmails, hasMoreFormerEmails, events } = await clientele.users.exportData(
      accountId,
      user.id,
    )
    const all = Array.from({ length: manyEmails }, (_, n) => `former${n + 1}@example.com`)
    expect(formerEmails).toEqual(all.sort().slice(0, 1_000))
    expect(hasMoreFormerEmails).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(['user.created', 'user.login_failed'])
    const reads = recorded
      .take()
      .filter(({ sql }) => sql.startsWith('select "email" from "clientele_former_emails"'))
    // For the addresses, and for the events that name them
    expect(reads).toHaveLength(2)
  })

  test('are in the export also where as many events have them', async () => {
    const { clientele, database } = opened
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, input)
    const email = "'former' || n || '@example.com'"
    await insertRows(database.url, 'clientele_former_emails', 8_000, {
      account_id: `'${accountId}'`,
      user_id: `'${user.id}'`,
      email,
    })
    await insertRows(database.url, 'clientele_events', 8_000, {
      account_id: `'${accountId}'`,
      id: name === 'sqlite' ? 'n' : 'gen_random_uuid()',
      ...{ type: "'user.login_failed'", created_at: '1000', actor_type: "'system'", data: "'{}'" },
      request_id: `'${accountId}'`,
      subject_type: "'user'",
      subject_id: `'${user.id}'`,
      person: `'{"email":"' || ${email} || '"}'`,
    })
    const { formerEmails, events } = await clientele.users.exportData(accountId, user.id)
    expect(formerEmails).toHaveLength(1_000)
    expect(events).toHaveLength(500)
  })
})
