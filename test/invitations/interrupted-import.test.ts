import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('an import that invites, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('invites the users of a stored batch, also if it is interrupted: it goes on after them', async () => {
    const mailed: string[] = []
    const interruption = new AbortController()
    const sendMail = async ({ to }: { to: string }): Promise<void> => {
      mailed.push(to)
      interruption.abort(new Error('Interrupted.'))
    }
    const clientele = await openClientele(database.url, { sendMail })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const emails = Array.from({ length: 160 }, (_, index) => `user${index}@example.com`)
    const records = emails.map((email, index) => ({
      line: index + 1,
      value: { name: 'Ada', email },
    }))
    const options = { invite: true, source: 'users.ndjson' }
    const { signal } = interruption
    const interrupted = clientele.users.import(id, records, { ...options, signal })
    await expect(interrupted).rejects.toThrow('Interrupted.')
    const { total } = await clientele.users.list(id)
    expect(total).toBeLessThan(160)
    expect(mailed).toHaveLength(total ?? 0)
    const { invited, uninvited } = await clientele.users.import(id, records, options)
    expect([invited, uninvited]).toEqual([160 - (total ?? 0), []])
    expect(mailed.sort()).toEqual(emails.sort())
    await clientele.close()
  })
})
