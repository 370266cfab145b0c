import type { SetPolicy } from '@clientele/core'
import { invalid, lacking, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { type Case, flow, newAda, row } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, json: object) => ({ method: 'POST', path: `${auth}/${path}`, json })
const ask = (email: unknown = newAda.email, more: object = {}) =>
  post('login/email', { email, ...more })
const confirm = (challenge: string, code: string) =>
  post('login/email/confirm', { challenge, code })
const signedIn = plain(
  /^\{"success_code":200,"data":\{"token":"[\w.-]+","token_type":"Bearer","expires_in":7200,"refresh_token":"[\w-]{91}","refresh_expires_in":\d+\},"user":\{"id":.*\}\}$/,
)

const setPolicy = (world: World, policy: SetPolicy) =>
  world.clientele.accounts.setPolicy(world.account.id, policy)

async function openUser(world: World) {
  await setPolicy(world, { signIn: ['password', 'email_code'] })
  return world.createUser()
}

export const signInCodeCases: readonly Case[] = [
  flow('a mailed code signs in once, and verifies the address', async (world) => {
    const { id } = await openUser(world)
    const { challenge, code, token } = await world.mailSignInCode()
    await world.check(confirm(challenge, 'nonsense'), problem('sign_in_code_invalid'))
    await world.check(confirm(token, code), problem('challenge_invalid'))
    const { key } = await world.otherTenant()
    await world.check({ ...confirm(challenge, code), key }, problem('sign_in_method_disabled'))
    await world.check(confirm(challenge, code), signedIn)
    await world.check(confirm(challenge, code), problem('challenge_invalid'))
    await world.check(
      { path: `/client/user/${id}/email/verification` },
      plain(/^\{"email_verified_at":"[^"]+Z"\}$/),
    )
    await world.check(
      { path: `/client/user/${id}/session` },
      plain(/^\{"data":\[\{"id":"[\w-]{36}","amr":\["otp"\],.*\}\]\}$/),
    )
    // The first proof of the address ended the password that was there before it.
    const { email, password } = newAda
    await world.check(post('login', { email, password }), problem('credentials_invalid'))
  }),
  flow('the token of a mailed link signs in, with the challenge of the page', async (world) => {
    await openUser(world)
    const first = await world.mailSignInCode()
    const { challenge, token } = await world.mailSignInCode()
    await world.check(confirm(first.challenge, first.token), problem('challenge_invalid'))
    await world.check(confirm(challenge, first.token), problem('sign_in_code_invalid'))
    await world.check(confirm(challenge, token), signedIn)
  }),
  flow('after a mailed code, a required second factor is enrolled', async (world) => {
    await openUser(world)
    await setPolicy(world, { secondFactor: 'required' })
    const { challenge, code } = await world.mailSignInCode()
    await world.check(confirm(challenge, code), {
      ...plain(
        /^\{"success_code":202,"data":\{"two_factor_enrolment_required":true,"challenge":"[\w-]{43}","methods":\["totp"\],"expires_in":300\}\}$/,
      ),
      status: 202,
    })
  }),
  flow('a code is refused from the first request on, unless the policy has it', async (world) => {
    await world.createUser()
    for (const email of [newAda.email, 'nobody@example.com'])
      await world.check(ask(email), problem('sign_in_method_disabled'))
    await world.check(confirm('x', '00000000'), problem('sign_in_method_disabled'))
  }),
  flow('a code needs a way to send mail, whoever asks', async (world) => {
    await openUser(world)
    for (const email of [newAda.email, 'nobody@example.com'])
      await world.check(ask(email, { locale: 'pt-BR' }), problem('mail_unavailable'))
    await world.check(confirm('x', '00000000'), problem('challenge_invalid'))
  }),
  row(
    'a request for a code: what is wrong with it',
    post('login/email', { email: 'x', locale: 'de_DE', language: 'de' }),
    invalid(
      ['/locale', 'format', 'must be a language tag (BCP 47), for instance pt-BR'],
      ['/language', 'unrecognized', 'is not known here'],
    ),
  ),
  row(
    'a code: what is wrong with it',
    post('login/email/confirm', { token: 'x' }),
    invalid(
      ['/challenge', 'required', 'is required'],
      ['/code', 'required', 'is required'],
      ['/token', 'unrecognized', 'is not known here'],
    ),
  ),
  flow('a code needs the scope', async (world) => {
    const scopes = ['users:read'] as const
    const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
      scopes: [...scopes],
    })
    for (const call of [ask(), confirm('x', 'y')])
      await world.check({ ...call, key }, lacking('tokens:issue'))
  }),
]
