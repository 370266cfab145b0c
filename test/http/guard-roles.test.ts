import { createGuard } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { guardedApps } from './support/guarded-apps.ts'

test.each(Object.entries(guardedApps))(
  '%s admits users who now have one of the roles',
  async (_, start) => {
    const world = await createTestClientele()
    onTestFinished(world.close)
    const { account } = await world.createAccount()
    const { user } = await world.createUser(account.id, { roles: ['member', 'billing'] })
    const origin = await start(world.clientele, { roles: ['admin', 'billing'] })
    const token = await world.tokenFor(user)
    const ask = async (headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
      const response = await fetch(origin, { headers: { connection: 'close', ...headers } })
      return { status: response.status, text: await response.text(), headers: response.headers }
    }
    expect(await ask()).toMatchObject({ status: 200, text: 'in' })
    // The same token, after the roles have changed.
    await world.clientele.users.patch(account.id, user.id, { roles: ['Billing', 'bill', 'adminx'] })
    const refused = await ask()
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'role_required', status: 403 })
    expect(refused.text).not.toContain('admin')
    expect(refused.headers.get('www-authenticate')).toBeNull()
    expect(refused.headers.get('x-request-id')).toBeTruthy()
    await world.clientele.users.patch(account.id, user.id, { roles: ['admin'] })
    expect(await ask()).toMatchObject({ status: 200 })
    // Who is not signed in hears that, and nothing of roles.
    expect(await ask({})).toMatchObject({ status: 401 })
    await world.clientele.users.deactivate(account.id, user.id)
    expect(await ask()).toMatchObject({ status: 401 })
  },
)

test.each(databases)('roles are read from $name', async ({ open }) => {
  const database = await open()
  const clientele = await openClientele(database.url)
  onTestFinished(async () => {
    await clientele.close()
    await database.close()
  })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials, roles: ['a'] })
  const { token } = await logIn(clientele, id, credentials)
  const authorization = `Bearer ${token}`
  const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
  const ask = (...roles: string[]) => createGuard(clientele, { roles })(request)
  expect(await ask('b', 'a')).toMatchObject({ clientUserId: user.id })
  expect(await ask('b')).toMatchObject({ response: { status: 403 } })
})
