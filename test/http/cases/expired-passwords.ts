import { Secret, TOTP } from 'otpauth'
import { invalid, noContent, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, newAda } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, json: object) => ({ method: 'POST', path, json })
const login = post(`${auth}/login`, { email: newAda.email, password: newAda.password })
const expire = (id: string) => ({ method: 'POST', path: `/client/user/${id}/password/expire` })
const signedIn = plain(/^\{"success_code":200,"data":\{"token":.*\},"user":\{.*\}\}$/)
const asksForPassword = {
  ...plain(
    /^\{"success_code":202,"data":\{"password_change_required":true,"challenge":"[\w-]{43}","expires_in":300\}\}$/,
  ),
  status: 202,
}
const another = 'another password of Ada'
const change = (challenge: string, password: string = another) =>
  post(`${auth}/login/password`, { challenge, password })
const challengeIn = ({ body }: { body: string }): string => JSON.parse(body).data.challenge

async function expireAda(world: World): Promise<string> {
  const { id } = await world.createUser()
  await world.check(expire(id), noContent)
  return id
}

export const expiredPasswordCases: readonly Case[] = [
  flow('a password that has expired is changed on the way in', async (world) => {
    await expireAda(world)
    const challenge = challengeIn(await world.check(login, asksForPassword))
    await world.check(
      change(challenge, newAda.password),
      invalid(['/password', 'value', 'must be another one: the old password has expired']),
    )
    await world.check(
      change(challenge, 'short'),
      invalid(['/password', 'too_short', 'must have at least 6 characters']),
    )
    await world.check(change(challenge), signedIn)
    await world.check(change(challenge), problem('challenge_invalid'))
    await world.check(login, problem('credentials_invalid'))
  }),
  flow('a password that has expired is changed after the second factor', async (world) => {
    const id = await expireAda(world)
    const { account, clientele } = world
    const { secret } = await clientele.mfa.enrolTotp(account.id, id)
    const app = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = app.generate({ timestamp: world.clock.now })
    const [recoveryCode] = await clientele.mfa.confirmTotp(account.id, id, { code })
    const asked = await world.check(login, {
      ...plain(/^\{"success_code":202,"data":\{"two_factor_required":true,.*\}\}$/),
      status: 202,
    })
    const first = challengeIn(asked)
    await world.check(change(first), problem('challenge_invalid'))
    const proof = { challenge: first, method: 'recovery_code', code: recoveryCode }
    const proved = await world.check(post(`${auth}/login/two-factor`, proof), asksForPassword)
    await world.check(change(challengeIn(proved)), signedIn)
  }),
  flow('no password of an unknown user expires', async (world) => {
    await world.check(expire(absentId), problem('user_not_found'))
    await world.check(change('x'), problem('challenge_invalid'))
    const missing = post(`${auth}/login/password`, { challenge: 'x' })
    await world.check(missing, invalid(['/password', 'required', 'is required']))
  }),
]
