import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { invalid, plain, problem } from '../support/answers.ts'
import { password, type World } from '../support/world.ts'
import { type Case, flow } from './case.ts'

const auth = '/client/user/auth'
const again = `${auth}/reauthenticate`
const post = (path: string, json: unknown) => ({ method: 'POST', path, json })
const signedIn = plain(/^\{"success_code":200,"data":\{"token":.*\},"user":\{"id":.*\}\}$/)
const credentials = { email: 'ada@example.com', password }
const oneProof = ['', 'value', 'must have either password, or method and code'] as const

interface Tokens {
  token: string
  refresh_token: string
}

const tokensOf = ({ body }: { body: string }) => JSON.parse(body).data as Tokens // as the answer is checked

function claimsOf({ token }: Tokens): { auth_time: number; iat: number; amr: string[] } {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

async function signIn(world: World): Promise<Tokens & { userId: string; signedInAt: number }> {
  const { id } = await world.createUser()
  const answer = await world.check(post(`${auth}/login`, credentials), signedIn)
  const tokens = tokensOf(answer)
  const signedInAt = Math.floor(world.clock.now / 1000)
  expect(claimsOf(tokens).auth_time).toBe(signedInAt)
  world.clock.now += 600_000
  return { ...tokens, userId: id, signedInAt }
}

export const reauthenticationCases: readonly Case[] = [
  flow('a token says when its user signed in, also after a refresh', async (world) => {
    const { refresh_token, signedInAt } = await signIn(world)
    const refreshed = tokensOf(
      await world.check(post(`${auth}/refresh`, { refresh_token }), signedIn),
    )
    const { auth_time, iat } = claimsOf(refreshed)
    expect([auth_time, iat]).toEqual([signedInAt, signedInAt + 600])
  }),
  flow('a password that is shown again makes the next tokens recent', async (world) => {
    const { refresh_token, signedInAt } = await signIn(world)
    const wrong = { refresh_token, password: 'wrong' }
    await world.check(post(again, wrong), problem('credentials_invalid'))
    const { key } = await world.otherTenant()
    const right = { refresh_token, password }
    await world.check({ ...post(again, right), key }, problem('refresh_token_invalid'))
    const shown = tokensOf(await world.check(post(again, right), signedIn))
    expect(claimsOf(shown).auth_time).toBe(signedInAt + 600)
    expect(claimsOf(shown).amr).toEqual(['pwd'])
    // It was used up.
    await world.check(post(again, right), problem('refresh_token_invalid'))
    world.clock.now += 60_000
    const next = { refresh_token: shown.refresh_token }
    const refreshed = tokensOf(await world.check(post(`${auth}/refresh`, next), signedIn))
    expect(claimsOf(refreshed).auth_time).toBe(signedInAt + 600)
    const introspected = await world.check(
      {
        method: 'POST',
        path: `${auth}/introspect`,
        body: `token=${refreshed.token}`,
        headers: ['content-type', 'application/x-www-form-urlencoded'],
      },
      plain(/^\{"active":true,.*\}$/),
    )
    expect(JSON.parse(introspected.body).auth_time).toBe(signedInAt + 600)
  }),
  flow('a second factor that is shown later is in the next tokens', async (world) => {
    const { refresh_token, userId } = await signIn(world)
    const factor = `/client/user/${userId}/two-factor/totp`
    const enrolled = await world.check(post(factor, undefined), {
      ...plain(/^\{"secret":/),
      status: 201,
    })
    const secret = Secret.fromBase32(JSON.parse(enrolled.body).secret)
    const codeAt = (timestamp: number) => new TOTP({ secret }).generate({ timestamp })
    const confirmed = await world.check(
      post(`${factor}/confirm`, { code: codeAt(world.clock.now - 30_000) }),
      plain(/^\{"recovery_codes":/),
    )
    const proof = { refresh_token, method: 'totp', code: codeAt(world.clock.now) }
    await world.check(post(again, { ...proof, code: '1' }), problem('two_factor_code_invalid'))
    const shown = tokensOf(await world.check(post(again, proof), signedIn))
    expect(claimsOf(shown).amr).toEqual(['pwd', 'otp', 'mfa'])
    const [code] = JSON.parse(confirmed.body).recovery_codes as string[]
    const byRecovery = { refresh_token: shown.refresh_token, method: 'recovery_code', code }
    const last = tokensOf(await world.check(post(again, byRecovery), signedIn))
    const used = { ...byRecovery, refresh_token: last.refresh_token }
    await world.check(post(again, used), problem('two_factor_code_invalid'))
  }),
  flow('a used token that is sent again to show a password ends its session', async (world) => {
    const { refresh_token } = await signIn(world)
    const refreshed = tokensOf(
      await world.check(post(`${auth}/refresh`, { refresh_token }), signedIn),
    )
    world.clock.now += 60_000
    await world.check(post(again, { refresh_token, password }), problem('refresh_token_invalid'))
    const next = { refresh_token: refreshed.refresh_token }
    await world.check(post(`${auth}/refresh`, next), problem('refresh_token_invalid'))
  }),
  flow('one proof is needed, and no more', async (world) => {
    const { refresh_token } = await signIn(world)
    await world.check(post(again, { refresh_token }), invalid([...oneProof]))
    const both = { refresh_token, password, method: 'totp', code: '1' }
    await world.check(post(again, both), invalid([...oneProof]))
    await world.check(post(again, { refresh_token, method: 'totp' }), invalid([...oneProof]))
  }),
]
