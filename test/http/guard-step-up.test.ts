import { createTestClientele } from '@clientele/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardedApps } from './support/guarded-apps.ts'

const password = 'analytical engine'

async function openWorld() {
  const world = await createTestClientele()
  onTestFinished(world.close)
  const { account } = await world.createAccount()
  const { user } = await world.createUser(account.id, { password })
  const { auth } = world.clientele
  const signedIn = await auth.logIn(account.id, { email: user.email, password })
  if (!('refreshToken' in signedIn)) throw new Error('There is no second factor.')
  const { token, refreshToken } = signedIn
  const showAgain = () => auth.reauthenticate(account.id, { refreshToken, password })
  return { ...world, account, token, showAgain }
}

async function ask(origin: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const response = await fetch(origin, { headers })
  const text = await response.text()
  const { code = text } = text.startsWith('{') ? JSON.parse(text) : {}
  return [response.status, code, response.headers.get('www-authenticate')]
}

const refused = (challenge: string) => [401, 'reauthentication_required', challenge]
const insufficient = 'Bearer error="insufficient_user_authentication"'

describe.each(Object.entries(guardedApps))('a guard of %s', (_, start) => {
  test('with maxAge admits a user who has just shown a password', async () => {
    const { clientele, clock, token, showAgain } = await openWorld()
    const origin = await start(clientele, { maxAge: 300 })
    expect(await ask(origin, token)).toEqual([200, 'in', null])
    clock.advance(301_000)
    expect(await ask(origin, token)).toEqual(refused(`${insufficient}, max_age=300`))
    const { token: recent } = await showAgain()
    expect(await ask(origin, recent)).toEqual([200, 'in', null])
  })

  test('with amr admits a sign-in by one of the methods', async () => {
    const { clientele, token } = await openWorld()
    const strict = await start(clientele, { amr: ['otp', 'hwk'] })
    expect(await ask(strict, token)).toEqual(refused(insufficient))
    const lenient = await start(clientele, { amr: ['otp', 'pwd'] })
    expect(await ask(lenient, token)).toEqual([200, 'in', null])
  })
})
