import { Secret, TOTP } from 'otpauth'
import { type Answer, invalid, noContent, notAllowed, plain, problem } from '../support/answers.ts'
import { password, type World } from '../support/world.ts'
import { absentId, type Case, flow, row } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, body?: unknown) =>
  body === undefined ? { method: 'POST', path } : { method: 'POST', path, json: body }
const signedIn = plain(
  /^\{"success_code":200,"data":\{"token":"[\w.-]+","token_type":"Bearer","expires_in":7200,"refresh_token":"[\w-]{43,}","refresh_expires_in":\d+\},"user":\{"id":.*\}\}$/,
)
const accepted: Answer = { ...noContent, status: 202 }
const required: [string, string] = ['required', 'is required']
const codes = /^\{"recovery_codes":\["[0-9a-z-]{19}"(?:,"[0-9a-z-]{19}"){9}\]\}$/
const credentials = { email: 'ada@example.com', password }

async function openSession(world: World) {
  const user = await world.createUser()
  const { body } = await world.check(post(`${auth}/login`, credentials), signedIn)
  const { token, refresh_token } = JSON.parse(body).data as Record<string, string>
  return { user, token, refresh_token, sessions: `/client/user/${user.id}/session` }
}

function code(secret: string, time: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: time })
}

/** A user whose authenticator app is confirmed, and what the app shows next. */
async function enrol(world: World) {
  const user = await world.createUser()
  const base = `/client/user/${user.id}/two-factor`
  const enrolled = await world.check(post(`${base}/totp`), {
    ...plain(
      /^\{"secret":"[A-Z2-7]{32}","otpauth_uri":"otpauth:\/\/totp\/Acme:ada%40example\.com\?[^"]+"\}$/,
    ),
    status: 201,
  })
  const { secret } = JSON.parse(enrolled.body) as { secret: string }
  const shown = { code: code(secret, world.clock.now - 30_000) }
  await world.check(post(`${base}/totp/confirm`, shown), plain(codes))
  return { user, base, secret, now: () => code(secret, world.clock.now) }
}

async function ask(world: World): Promise<string> {
  const { body } = await world.check(post(`${auth}/login`, credentials), {
    ...plain(
      /^\{"success_code":202,"data":\{"two_factor_required":true,"challenge":"[\w-]{43,}","methods":\["totp","recovery_code"\],"expires_in":300\}\}$/,
    ),
    status: 202,
  })
  return JSON.parse(body).data.challenge
}

export const signInCases: readonly Case[] = [
  flow(
    'refresh: each token works once, and gives the same successor again for a while',
    async (world) => {
      const { refresh_token } = await openSession(world)
      const refresh = () => world.check(post(`${auth}/refresh`, { refresh_token }), signedIn)
      const [first, second] = [await refresh(), await refresh()]
      const successor = (text: string): string => JSON.parse(text).data.refresh_token
      const next = { refresh_token: successor(second.body) }
      if (successor(first.body) !== next.refresh_token) throw new Error('Two successors.')
      await world.check(post(`${auth}/refresh`, next), signedIn)
    },
  ),
  row(
    'refresh: an unknown token',
    post(`${auth}/refresh`, { refresh_token: 'x' }),
    problem('refresh_token_invalid'),
  ),
  row('refresh: no token', post(`${auth}/refresh`, {}), invalid(['/refresh_token', ...required])),
  flow('logout ends the session, and can be repeated', async (world) => {
    const { refresh_token } = await openSession(world)
    await world.check(post(`${auth}/logout`, { refresh_token }), noContent)
    await world.check(post(`${auth}/logout`, { refresh_token }), noContent)
    await world.check(post(`${auth}/refresh`, { refresh_token }), problem('refresh_token_invalid'))
  }),
  flow('sessions are listed and ended', async (world) => {
    const { sessions, user, token } = await openSession(world)
    const listed = await world.check(
      { path: sessions },
      plain(
        /^\{"data":\[\{"id":"[\w-]{36}","amr":\["pwd"\],"impersonated_by":null,"created_at":"[^"]+Z","last_used_at":"[^"]+Z","expires_at":"[^"]+Z"\}\]\}$/,
      ),
    )
    const [session] = JSON.parse(listed.body).data as { id: string }[]
    const absent = { method: 'DELETE', path: `${sessions}/${absentId}` }
    await world.check(absent, problem('session_not_found'))
    const { key } = await world.otherTenant()
    await world.check({ path: sessions, key }, problem('user_not_found'))
    await world.check(
      { method: 'DELETE', path: `${sessions}/${session?.id}`, key },
      problem('session_not_found'),
    )
    await world.check({ method: 'DELETE', path: `${sessions}/${session?.id}` }, noContent)
    await world.check(
      post(`${auth}/validation-token`, { token: `Bearer ${token}` }),
      problem('token_revoked', { members: { isValid: false } }),
    )
    await world.check({ method: 'DELETE', path: sessions }, noContent)
    await world.check({ path: sessions }, plain('{"data":[]}'))
    await world.check(
      { method: 'DELETE', path: `/client/user/${absentId}/session` },
      problem('user_not_found'),
    )
    await world.check(
      { method: 'DELETE', path: `/client/user/${user.id}/session/x` },
      problem('session_not_found'),
    )
  }),
  flow('an MFA factor is enrolled, required and removed', async (world) => {
    const { base, now } = await enrol(world)
    await world.check({ path: base }, plain('{"totp":true,"email":false,"recovery_codes_left":10}'))
    await world.check(post(`${base}/totp`), problem('two_factor_already_enrolled'))
    const challenge = await ask(world)
    const answer = { challenge, method: 'totp', code: 'nonsense' }
    const complete = `${auth}/login/two-factor`
    await world.check(post(complete, answer), problem('two_factor_code_invalid'))
    const { key } = await world.otherTenant()
    await world.check(
      { ...post(complete, { ...answer, code: now() }), key },
      problem('challenge_invalid'),
    )
    await world.check(post(complete, { ...answer, code: now() }), signedIn)
    await world.check(post(complete, { ...answer, code: now() }), problem('challenge_invalid'))
    await world.check(post(`${base}/recovery-codes`), plain(codes))
    await world.check({ method: 'DELETE', path: base }, noContent)
    await world.check({ path: base }, plain('{"totp":false,"email":false,"recovery_codes_left":0}'))
    await world.check(post(`${base}/recovery-codes`), problem('two_factor_not_enrolled'))
    await world.check(
      post(`${base}/totp/confirm`, { code: '1' }),
      problem('two_factor_not_enrolled'),
    )
    await world.check(post(`${auth}/login`, credentials), signedIn)
  }),
  flow('an e-mailed code needs a way to send mail', async (world) => {
    const { base } = await enrol(world)
    await world.check(post(`${base}/email`), problem('mail_unavailable'))
    const challenge = await ask(world)
    await world.check(
      post(`${auth}/login/two-factor/email`, { challenge }),
      problem('two_factor_not_enrolled'),
    )
    await world.check(
      post(`${auth}/login/two-factor/email`, { challenge: 'x' }),
      problem('challenge_invalid'),
    )
  }),
  row(
    'two-factor: every rule at once',
    post(`${auth}/login/two-factor`, { method: 'sms' }),
    invalid(
      ['/challenge', ...required],
      ['/method', 'value', 'must be one of totp, email, passkey, recovery_code'],
      ['/code', ...required],
    ),
  ),
  flow('resets and verifications get the same response for every address', async (world) => {
    await world.createUser()
    for (const email of ['ada@example.com', 'nobody@example.com', 'not an address']) {
      await world.check(post(`${auth}/password/forgot`, { email }), accepted)
      await world.check(post(`${auth}/email/verification`, { email }), accepted)
    }
  }),
  row(
    'reset: an unknown token',
    post(`${auth}/password/reset`, { token: 'x', password: 'another' }),
    problem('reset_token_invalid'),
  ),
  row(
    'reset: a password against the rules',
    post(`${auth}/password/reset`, { token: 'x', password: 'short' }),
    invalid(['/password', 'too_short', 'must have at least 6 characters']),
  ),
  row(
    'verification: an unknown token',
    post(`${auth}/email/verification/confirm`, { token: 'x' }),
    problem('verification_token_invalid'),
  ),
  flow('verification: whether the address was verified', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}/email/verification`
    await world.check({ path }, plain('{"email_verified_at":null}'))
    await world.check({ ...post(path), json: {} }, notAllowed('GET, HEAD'))
    const { key } = await world.otherTenant()
    await world.check({ path, key }, problem('user_not_found'))
    const absent = `/client/user/${absentId}/email/verification`
    await world.check({ path: absent }, problem('user_not_found'))
  }),
  flow('failed sign-ins are limited, by account and e-mail', async (world) => {
    await world.createUser()
    const wrong = post(`${auth}/login`, { ...credentials, password: 'wrong' })
    for (let attempt = 0; attempt < 10; attempt++) {
      await world.check(wrong, problem('credentials_invalid'))
    }
    const headers = {
      'retry-after': '900',
      ratelimit: '"login";r=0;t=900',
      'ratelimit-policy': '"login";q=10;w=900',
    }
    await world.check(wrong, problem('rate_limited', { headers }))
  }),
]
