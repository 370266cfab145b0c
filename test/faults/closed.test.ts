import { describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'

describe.each(databases)('after close() on $name', ({ open }) => {
  test('reads, writes and long reads report that it was closed', async () => {
    const database = await open()
    const clientele = await openClientele(database.url)
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.close()
    for (const call of [
      () => clientele.accounts.find(id),
      () => clientele.apiKeys.create(id),
      () => clientele.users.list(id, { q: 'ada' }),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('was closed'),
      })
    await database.close()
  })
})
