import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { invalid, noContent, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, newAda } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, json: object) => ({ method: 'POST', path, json })
const login = (more: object = {}) =>
  post(`${auth}/login`, { email: newAda.email, password: newAda.password, ...more })
const remembered = plain(
  /^\{"success_code":200,"data":\{.*"device_token":"[\w-]{91}","device_expires_in":2592000\},"user":\{.*\}\}$/,
)
const asked = {
  ...plain(/^\{"success_code":202,"data":\{"two_factor_required":true,.*\}\}$/),
  status: 202,
}

/** A user with recovery codes, in an account that remembers devices. */
async function openUser(world: World) {
  const { id } = await world.createUser()
  const { account, clientele } = world
  await clientele.accounts.setPolicy(account.id, { rememberDeviceDays: 30 })
  const { secret } = await clientele.mfa.enrolTotp(account.id, id)
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = app.generate({ timestamp: world.clock.now })
  const codes = await clientele.mfa.confirmTotp(account.id, id, { code })
  const answer = async (more: object = {}) => {
    const { body } = await world.check(login(), asked)
    const { challenge } = JSON.parse(body).data
    const given = { challenge, method: 'recovery_code', code: codes.shift(), ...more }
    return post(`${auth}/login/two-factor`, given)
  }
  return { id, answer }
}

export const deviceCases: readonly Case[] = [
  flow(
    'devices: no second factor on a remembered one, whose token each use replaces',
    async (world) => {
      const { id, answer } = await openUser(world)
      const named = { remember_device: true, device_name: 'Laptop' }
      const first = JSON.parse((await world.check(await answer(named), remembered)).body)
      const used = await world.check(login({ device_token: first.data.device_token }), remembered)
      const listed = await world.check(
        { path: `/client/user/${id}/device` },
        plain(
          /^\{"data":\[\{"id":"[\w-]{36}","name":"Laptop","created_at":"[^"]+","last_used_at":"[^"]+","expires_at":"[^"]+"\}\]\}$/,
        ),
      )
      const [device] = JSON.parse(listed.body).data
      const exported = await world.send({ path: `/client/user/${id}/export` })
      expect(JSON.parse(exported.body).devices).toEqual([device])
      const { device_token } = JSON.parse(used.body).data
      const { key } = await world.otherTenant()
      const path = `/client/user/${id}/device`
      await world.check({ path, key }, problem('user_not_found'))
      await world.check({ method: 'DELETE', path, key }, problem('user_not_found'))
      const one = `${path}/${device.id}`
      await world.check({ method: 'DELETE', path: one, key }, problem('device_not_found'))
      await world.check({ method: 'DELETE', path: one }, noContent)
      await world.check({ method: 'DELETE', path: one }, problem('device_not_found'))
      await world.check({ method: 'DELETE', path: `${path}/x` }, problem('device_not_found'))
      await world.check(login({ device_token }), asked)
    },
  ),
  flow('devices: a token that was used comes again', async (world) => {
    const { id, answer } = await openUser(world)
    const { body } = await world.check(await answer({ remember_device: true }), remembered)
    const { device_token } = JSON.parse(body).data
    const next = await world.check(login({ device_token }), remembered)
    await world.check(login({ device_token }), asked)
    await world.check(login({ device_token: JSON.parse(next.body).data.device_token }), asked)
    await world.check({ path: `/client/user/${id}/device` }, plain('{"data":[]}'))
    await world.check({ method: 'DELETE', path: `/client/user/${id}/device` }, noContent)
  }),
  flow('devices: not asked for, or not allowed', async (world) => {
    const { answer } = await openUser(world)
    const { body } = await world.send(await answer())
    expect(JSON.parse(body).data).not.toHaveProperty('device_token')
    await world.check(login({ device_token: 'unknown' }), asked)
    await world.check(
      login({ device_token: '' }),
      invalid(['/device_token', 'too_short', 'must not be empty']),
    )
    await world.check(
      login({ deviceToken: 'x' }),
      invalid(['/deviceToken', 'unrecognized', 'is not known here (did you mean device_token?)']),
    )
    await world.check(
      await answer({ remember_device: 'yes' }),
      invalid(['/remember_device', 'type', 'must be a boolean']),
    )
    const path = `/client/user/${absentId}/device`
    await world.check({ path }, problem('user_not_found'))
    await world.check({ method: 'DELETE', path }, problem('user_not_found'))
  }),
]
