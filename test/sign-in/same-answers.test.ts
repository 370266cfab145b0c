import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

describe.each(anyDatabase)('a failed sign-in on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('has one answer for a wrong e-mail, a wrong password and an inactive user', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const logIn = (changes: object) =>
      send(clientele, 'POST', '/client/user/auth/login', {
        key,
        body: { ...credentials, ...changes },
      })
    expect((await logIn({})).status).toBe(200)
    const wrongPassword = await logIn({ password: 'another password' })
    expect(wrongPassword).toMatchObject({ status: 401, body: { code: 'credentials_invalid' } })
    expect(await logIn({ email: 'unknown@example.com' })).toEqual(wrongPassword)
    await clientele.users.deactivate(accountId, user.id)
    expect(await logIn({})).toEqual(wrongPassword)
  })
})
