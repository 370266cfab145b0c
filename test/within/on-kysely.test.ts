import { createClientele } from '@clientele/core'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { cheapHashing, codeOf, LogRecorder } from '../keys/open-clientele.ts'
import { describeLeftOutTargets, kyselyTargets } from '../support/kysely-targets.ts'

const ada = (email: string) => ({
  name: 'Ada Lovelace',
  email: `${email}@example.com`,
  password: 'correct horse battery',
})

// On PGlite and node:sqlite an instance has one connection: a query waits while a transaction is open.
describe.each(kyselyTargets)('$name, and a transaction of the same db', ({ dialect, open }) => {
  test('commits and rolls back together, and publishes committed events', async () => {
    const { db, open: openRepository, close } = await open()
    // Without it a read at that moment would block the host's commit.
    if (dialect === 'sqlite') await sql`pragma journal_mode = wal`.execute(db)
    const logger = new LogRecorder()
    const clientele = await createClientele({
      repository: openRepository(),
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing: cheapHashing },
      logger,
    })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const told: string[] = []
    clientele.events.on('user.created', ({ user }) => told.push(user.email))
    await sql`create table profiles (user_id text primary key)`.execute(db)

    const undone = db.transaction().execute(async (trx) => {
      const { users } = clientele.within(trx)
      const { user } = await users.create(id, ada('undone'))
      await sql`insert into profiles values (${user.id})`.execute(trx)
      throw new Error('The host undoes it.')
    })
    await expect(undone).rejects.toThrow('The host undoes it.')

    const userId = await db.transaction().execute(async (trx) => {
      const { users } = clientele.within(trx)
      const { user } = await users.create(id, { ...ada('kept'), metadata: { b: 1, a: [true] } })
      expect(await codeOf(users.create(id, ada('kept')))).toBe('email_taken')
      await users.patch(id, user.id, { name: 'Ada King' })
      await sql`insert into profiles values (${user.id})`.execute(trx)
      expect((await users.list(id)).total).toBe(1)
      return user.id
    })
    const { user } = await clientele.users.find(id, userId)
    expect(user).toMatchObject({ name: 'Ada King', metadata: { b: 1, a: [true] }, isActive: true })
    const { rows } = await sql`select user_id from profiles`.execute(db)
    expect(rows).toEqual([{ user_id: userId }])
    await vi.waitFor(() => expect(told).toEqual(['kept@example.com']))
    const types = (await clientele.events.read(id)).data.map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('user.'))).toEqual([
      'user.created',
      'user.updated',
    ])
    expect(logger.lines.filter(({ level }) => level !== 'info')).toEqual([])
    expect(() => clientele.within(db)).toThrow(/was given a Kysely instance/)

    await clientele.close()
    await close()
  }, 60_000)
})

describeLeftOutTargets()
