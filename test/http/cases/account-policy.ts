import type { SetPolicy } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { SoftwareAuthenticator, site } from '../../passkeys/software-authenticator.ts'
import { invalid, noContent, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { ada, type Case, flow, newAda } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, json: object) => ({ method: 'POST', path, json })
const login = (more: object = {}) =>
  post(`${auth}/login`, { email: newAda.email, password: newAda.password, ...more })
const disabled = problem('sign_in_method_disabled')
const signedIn = plain(/^\{"success_code":200,"data":\{"token":"[\w.-]+",.*\}\}$/)

const setPolicy = (world: World, policy: SetPolicy) =>
  world.clientele.accounts.setPolicy(world.account.id, policy)

async function create(world: World, user: object, more: { key?: string } = {}): Promise<void> {
  expect((await world.send({ ...post('/client/user', user), ...more })).status).toBe(201)
}

/** The request that signs in by a passkey alone */
async function answerByPasskey(world: World, authenticator: SoftwareAuthenticator) {
  const { body } = await world.send(post(`${auth}/login/passkey/options`, {}))
  const { challenge, options } = JSON.parse(body)
  return post(`${auth}/login/passkey`, { challenge, response: authenticator.get(options) })
}

export const accountPolicyCases: readonly Case[] = [
  flow('policy: without passwords, whoever asks gets the same refusal', async (world) => {
    await world.createUser()
    const { email: gone } = await world.createUser('gone@example.com', { isActive: false })
    const session = await world.check(login(), signedIn)
    const { refresh_token } = JSON.parse(session.body).data
    await setPolicy(world, { signIn: ['passkey', 'id_token'] })
    const again = { refresh_token, password: newAda.password }
    await world.check(post(`${auth}/reauthenticate`, again), disabled)
    const asked = [{}, { password: 'wrong one' }, { email: 'nobody@example.com' }, { email: gone }]
    // More often than a limit allows: the refusal counts for nobody, and is no event.
    for (const more of Array(4).fill(asked).flat()) await world.check(login(more), disabled)
    await world.check(
      login({ password: '' }),
      invalid(['/password', 'too_short', 'must not be empty']),
    )
    const failed = await world.clientele.events.read(world.account.id, {
      types: ['user.login_failed'],
    })
    expect(failed.data).toEqual([])
    await setPolicy(world, { signIn: ['password'] })
    await world.check(login(), signedIn)
  }),
  flow('policy: without passkeys, from the first request on', async (world) => {
    await world.clientele.accounts.setPasskeys(world.account.id, site)
    const { id, email } = await world.createUser()
    const authenticator = new SoftwareAuthenticator()
    const begun = await world.send(post(`/client/user/${id}/passkey/options`, {}))
    const { challenge, options } = JSON.parse(begun.body)
    const response = authenticator.create(options)
    await world.send(post(`/client/user/${id}/passkey`, { challenge, response }))
    const answer = await answerByPasskey(world, authenticator)
    await setPolicy(world, { signIn: ['password', 'id_token'] })
    for (const json of [{}, { email }, { email: 'nobody@example.com' }])
      await world.check(post(`${auth}/login/passkey/options`, json), disabled)
    await world.check(answer, disabled)
    await setPolicy(world, { signIn: ['passkey'] })
    await world.check(await answerByPasskey(world, authenticator), signedIn)
    await world.check(login(), disabled)
  }),
  flow(
    'policy: without ID tokens, a token that is none is refused as a right one',
    async (world) => {
      await setPolicy(world, { signIn: ['password', 'passkey'] })
      for (const id_token of ['x', 'a.b.c', world.key])
        await world.check(post(`${auth}/login/id-token`, { id_token }), disabled)
      await setPolicy(world, { signIn: ['id_token'] })
      await world.check(
        post(`${auth}/login/id-token`, { id_token: 'x' }),
        problem('token_malformed'),
      )
    },
  ),
  flow('policy: a verified address is asked for after a right password only', async (world) => {
    const { id } = await world.createUser()
    await setPolicy(world, { verifiedEmail: 'required' })
    await world.check(login({ password: 'wrong one' }), problem('credentials_invalid'))
    await world.check(login({ email: 'nobody@example.com' }), problem('credentials_invalid'))
    await world.check(login(), problem('email_not_verified'))
    const { data } = await world.clientele.events.read(world.account.id, {
      types: ['user.login_failed'],
    })
    expect(data.map(({ subject }) => subject.id)).toEqual([id, null, id])
    await setPolicy(world, { verifiedEmail: 'optional' })
    await world.check(login(), signedIn)
  }),
  flow('policy: a second factor that is enrolled on the way in', async (world) => {
    const { id } = await world.createUser()
    await setPolicy(world, { secondFactor: 'required' })
    const asked = await world.check(login(), {
      ...plain(
        /^\{"success_code":202,"data":\{"two_factor_enrolment_required":true,"challenge":"[\w-]{43,}","methods":\["totp"\],"expires_in":300\}\}$/,
      ),
      status: 202,
    })
    const { challenge } = JSON.parse(asked.body).data as { challenge: string }
    const enrol = (json: object) => post(`${auth}/login/two-factor/enrol`, json)
    const answer = (code: string) =>
      post(`${auth}/login/two-factor`, { challenge, method: 'totp', code })
    await world.check(answer('123456'), problem('two_factor_code_invalid'))
    await world.check(enrol({ challenge, method: 'email' }), problem('mail_unavailable'))
    await world.check(
      enrol({ challenge, method: 'passkey' }),
      invalid(['/method', 'value', 'must be one of totp, email']),
    )
    await world.check(enrol({ challenge: 'x', method: 'totp' }), problem('challenge_invalid'))
    const begun = await world.check(
      { ...enrol({ challenge, method: 'totp' }), path: `${auth}/login/two-factor/enrol?qr=svg` },
      plain(/^\{"secret":"[A-Z2-7]{32}","otpauth_uri":"otpauth:[^"]+","qr_svg":"<svg.*"\}$/),
    )
    const secret = Secret.fromBase32(JSON.parse(begun.body).secret)
    const code = () => new TOTP({ secret }).generate({ timestamp: world.clock.now })
    const { key } = await world.otherTenant()
    await world.check({ ...answer(code()), key }, problem('challenge_invalid'))
    await world.check(
      answer(code()),
      plain(
        /^\{"success_code":200,"data":\{"token":"[\w.-]+",.*"refresh_expires_in":\d+,"recovery_codes":\["[^\]]+"\]\},"user":\{.*\}\}$/,
      ),
    )
    await world.check(
      { path: `/client/user/${id}/two-factor` },
      plain('{"totp":true,"email":false,"recovery_codes_left":10}'),
    )
    const again = await world.send(login())
    expect(JSON.parse(again.body).data).toMatchObject({ two_factor_required: true })
    const { challenge: next } = JSON.parse(again.body).data
    await world.check(
      enrol({ challenge: next, method: 'totp' }),
      problem('two_factor_already_enrolled'),
    )
  }),
  flow('policy: a user without a password', async (world) => {
    await world.check(post('/client/user', ada), invalid(['/password', 'required', 'is required']))
    await world.check(
      post('/client/user', {}),
      invalid(
        ['/email', 'required', 'is required'],
        ['/name', 'required', 'is required'],
        ['/password', 'required', 'is required'],
      ),
    )
    await setPolicy(world, { passwordRequired: false })
    await world.check(
      post('/client/user', {}),
      invalid(['/email', 'required', 'is required'], ['/name', 'required', 'is required']),
    )
    await create(world, ada)
    await world.check(login(), problem('credentials_invalid'))
    await create(world, { ...newAda, email: 'ada.king@example.com' })
    await world.check(login({ email: 'ada.king@example.com' }), signedIn)
    await setPolicy(world, { passwordRequired: true })
    const more = { ...ada, email: 'grace@example.com' }
    await world.check(post('/client/user', more), invalid(['/password', 'required', 'is required']))
  }),
  flow('policy: a password that is too short for the account', async (world) => {
    const { id } = await world.createUser()
    await setPolicy(world, { minPasswordLength: 15 })
    const short = invalid([
      '/password',
      'too_short',
      'must have at least 15 characters in this account',
    ])
    const given = { ...newAda, email: 'grace@example.com' }
    await world.check(post('/client/user', given), short)
    await world.check({ method: 'PUT', path: `/client/user/${id}`, json: newAda }, short)
    const patch = (password: string) => ({
      method: 'PATCH',
      path: `/client/user/${id}`,
      json: { password },
    })
    // Fourteen characters in twenty-eight units of UTF-16
    await world.check(patch('😀'.repeat(14)), short)
    // The password that the user has still works.
    await world.check(login(), signedIn)
    const long = '😀'.repeat(15)
    expect((await world.send(patch(long))).status).toBe(200)
    await world.check(login({ password: long }), signedIn)
  }),
  flow('policy: the life of sessions', async (world) => {
    await world.createUser()
    const open = async () => {
      const { body } = await world.check(login(), signedIn)
      return JSON.parse(body).data as { refresh_token: string; refresh_expires_in: number }
    }
    const before = await open()
    await setPolicy(world, { sessionTtlSeconds: 600, sessionMaxSeconds: 900 })
    const opened = await open()
    expect(opened.refresh_expires_in).toBe(600)
    const refresh = async (refresh_token: string) => {
      const { body } = await world.check(post(`${auth}/refresh`, { refresh_token }), signedIn)
      return JSON.parse(body).data.refresh_expires_in
    }
    // It lives on, but from now on an unused one lives as briefly.
    expect(await refresh(before.refresh_token)).toBe(600)
    world.clock.now += 500_000
    expect(await refresh(opened.refresh_token)).toBe(400)
    await setPolicy(world, { sessionTtlSeconds: null, sessionMaxSeconds: null })
    expect((await open()).refresh_expires_in).toBe(before.refresh_expires_in)
  }),
  flow('policy: another account is not concerned', async (world) => {
    await setPolicy(world, { signIn: ['passkey'], minPasswordLength: 30 })
    const { key } = await world.otherTenant()
    await create(world, newAda, { key })
    await world.check({ ...login(), key }, signedIn)
    await world.check(login(), disabled)
    const { body } = await world.check({ ...login(), key }, signedIn)
    const { refresh_token } = JSON.parse(body).data
    await world.check({ ...post(`${auth}/logout`, { refresh_token }), key }, noContent)
  }),
]
