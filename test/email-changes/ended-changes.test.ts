import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const ends: [string, (clientele: Clientele, accountId: string, id: string) => Promise<unknown>][] =
  [
    [
      'a new password',
      ({ users }, accountId, id) => users.patch(accountId, id, { password: 'pw-2345' }),
    ],
    ['a deactivation', ({ users }, accountId, id) => users.deactivate(accountId, id)],
  ]

describe.each(databases)('a change of the address, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test.each(ends)('that %s has ended can be neither confirmed nor cancelled', async (_, end) => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    await clientele.users.requestEmailChange(accountId, user.id, { email: `new-${user.email}` })
    const confirm = { token: await mailed('email_change') }
    const undo = { token: await mailed('email_change_notice') }
    await end(clientele, accountId, user.id)
    const { auth, events } = clientele
    expect(await codeOf(auth.confirmEmailChange(accountId, confirm))).toBe('email_change_invalid')
    expect(await codeOf(auth.undoEmailChange(accountId, undo))).toBe('email_change_invalid')
    const types = ['user.email_change_cancelled', 'user.email_verified']
    expect((await events.read(accountId, { types })).data).toEqual([])
  })
})
