import { createTestClientele } from '@clientele/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardedApps } from './support/guarded-apps.ts'

const password = 'analytical engine'

async function openWorld() {
  const world = await createTestClientele()
  onTestFinished(world.close)
  const { account } = await world.createAccount()
  const { user } = await world.createUser(account.id, { password })
  const { auth, userTokens } = world.clientele
  const signedIn = await auth.logIn(account.id, { email: user.email, password })
  if (!('refreshToken' in signedIn)) throw new Error('There is no second factor.')
  const make = async (scopes: string[]) =>
    (await userTokens.create(account.id, user.id, { name: 'Script', scopes })).token
  return { ...world, accountId: account.id, signedIn: signedIn.token, make }
}

async function ask(origin: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const response = await fetch(origin, { headers })
  const text = await response.text()
  const { code = text } = text.startsWith('{') ? JSON.parse(text) : {}
  return [response.status, code, response.headers.get('www-authenticate')]
}

const admitted = [200, 'in', null]
const refused = (challenge: string) => [401, 'reauthentication_required', challenge]
const insufficient = 'Bearer error="insufficient_user_authentication"'

describe.each(Object.entries(guardedApps))('a guard of %s', (_, start) => {
  test("admits a user's own token, and with scopes only one that has all of them", async () => {
    const { clientele, accountId, signedIn, make } = await openWorld()
    const [both, one, none] = [await make(['deploy', 'read']), await make(['read']), await make([])]
    const any = await start(clientele, { accountId })
    for (const token of [both, one, none]) expect(await ask(any, token)).toEqual(admitted)
    const guarded = await start(clientele, { scopes: ['deploy', 'read'] })
    const challenge = 'Bearer error="insufficient_scope", scope="deploy read"'
    expect(await ask(guarded, both)).toEqual(admitted)
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, both)
    expect(await ask(guarded, jwt)).toEqual(admitted)
    for (const token of [one, none, signedIn])
      expect(await ask(guarded, token)).toEqual([403, 'scope_insufficient', challenge])
  })

  test("with maxAge or amr refuses a user's own token, and the JWT for it", async () => {
    const { clientele, accountId, make } = await openWorld()
    const token = await make(['deploy'])
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    const recent = await start(clientele, { maxAge: 300 })
    const strong = await start(clientele, { amr: ['pwd'] })
    for (const each of [token, jwt]) {
      expect(await ask(recent, each)).toEqual(refused(`${insufficient}, max_age=300`))
      expect(await ask(strong, each)).toEqual(refused(insufficient))
    }
  })

  test('of one account knows no token of another', async () => {
    const { clientele, createAccount, make } = await openWorld()
    const { account } = await createAccount()
    const other = await start(clientele, { accountId: account.id })
    expect(await ask(other, await make([]))).toEqual([401, 'token_unknown_key', 'Bearer'])
  })
})
