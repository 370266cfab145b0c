import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ImportWorld, user } from '../import/import-world.ts'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'
import { dump } from './dump.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('addresses that an import took from a person on $name', (target) => {
  let world: ImportWorld
  beforeAll(async () => {
    world = await ImportWorld.open(target)
  })
  afterAll(() => world.close())

  test('an export lists them, and an erasure leaves none', async () => {
    const { clientele } = world
    const account = await world.newAccount()
    const mark = randomUUID().slice(0, 8)
    const toEmail = (name: string) => `${name}-${mark}@example.com`
    const update = (...records: unknown[]) =>
      world.import(account, records, { onConflict: 'update' })
    const fail = (name: string) =>
      codeOf(clientele.auth.logIn(account, { email: toEmail(name), password: 'no' }))
    const [known, made] = [randomUUID(), randomUUID()]
    await update(user(1, { id: known, email: toEmail('first') }))
    await fail('first')
    await update(
      ...['second', 'third'].map((name) => user(1, { id: known, email: toEmail(name) })),
      ...['fourth', 'fifth'].map((name) => user(2, { id: made, email: toEmail(name) })),
      user(3, { id: randomUUID() }),
    )
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth']) await fail(name)
    const formerOf = async (id: string) =>
      (await clientele.users.exportData(account, id)).formerEmails
    expect(await formerOf(known)).toEqual([toEmail('first'), toEmail('second')])
    expect(await formerOf(made)).toEqual([toEmail('fourth')])
    for (const id of [known, made]) await clientele.users.erase(account, id)
    expect(await dump(world.database.url)).not.toContain(mark)
  })

  test('an address that one import takes from a person and gives back is in the export', async () => {
    const account = await world.newAccount()
    const id = randomUUID()
    const records = ['one', 'two', 'one', 'two', 'one'].map((name) =>
      user(1, { id, email: `${name}@example.com` }),
    )
    await world.import(account, records, { onConflict: 'update' })
    const data = await world.clientele.users.exportData(account, id)
    expect(data.user.email).toBe('one@example.com')
    expect(data.formerEmails).toEqual(['one@example.com', 'two@example.com'])
  })
})
