import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a list that was read before, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test.each(['by this process', 'by another process'] as const)(
    'a change %s is seen at once',
    async (by) => {
      const { clientele } = await world.start()
      const { clientele: other } = await world.start()
      const account = await other.accounts.create({ name: 'Shop' })
      const writer = by === 'by this process' ? clientele : other
      const create = (name: string) =>
        writer.users.create(account.id, {
          email: `${name.toLowerCase()}@example.com`,
          name,
          password: 'secret password',
        })
      const read = async () => {
        const { data, total } = await clientele.users.list(account.id, { limit: 2 })
        return [total, ...data.map(({ name, isActive }) => (isActive ? name : `(${name})`))]
      }
      expect(await read()).toEqual([0])
      const { user } = await create('Ada')
      expect([await read(), await read()]).toEqual([
        [1, 'Ada'],
        [1, 'Ada'],
      ])
      await writer.users.patch(account.id, user.id, { name: 'Grace' })
      expect([await read(), await read()]).toEqual([
        [1, 'Grace'],
        [1, 'Grace'],
      ])
      await create('Alan')
      await create('Edsger')
      expect(await read()).toEqual([3, 'Grace', 'Alan'])
      await writer.users.deactivate(account.id, user.id)
      expect(await read()).toEqual([3, '(Grace)', 'Alan'])
      await writer.users.delete(account.id, user.id)
      expect(await read()).toEqual([2, 'Alan', 'Edsger'])
    },
  )
})
