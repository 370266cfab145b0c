import type { Clientele, ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a sign-in on a remembered device, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Partial<ClienteleOptions> = {}) {
    const { clientele } = await world.start(options)
    const added = await world.addUser(clientele)
    const { accountId, user, credentials } = added
    await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    const remember = async (code = '') => {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const answer = { challenge, method: 'recovery_code', code, rememberDevice: true } as const
      return toSignedIn(await clientele.auth.completeMfa(accountId, answer))
    }
    const { deviceToken = '' } = await remember(recoveryCodes[0])
    const rememberAgain = () => remember(recoveryCodes[1])
    const logIn = () => clientele.auth.logIn(accountId, { ...credentials, deviceToken })
    const countSessions = async () => (await clientele.sessions.list(accountId, user.id)).length
    return { clientele, ...added, logIn, rememberAgain, countSessions }
  }

  /** Makes one of the changes each time that the hooks are asked. */
  async function startChanging() {
    const changes: (() => Promise<unknown>)[] = []
    const beforeSignIn = async (): Promise<void> => void (await changes.shift()?.())
    return { ...(await start({ hooks: { beforeSignIn } })), changes }
  }

  test.each([
    ['forgets', { rememberDeviceDays: 0 }],
    ['forgets, and requires a second factor', { rememberDeviceDays: 0, secondFactor: 'required' }],
  ] as const)('starts over where the account %s devices meanwhile', async (_, policy) => {
    const { clientele, accountId, logIn, countSessions, changes } = await startChanging()
    changes.push(() => clientele.accounts.setPolicy(accountId, policy))
    const before = await countSessions()
    const answer = await logIn()
    expect(changes).toEqual([])
    expect(answer).toMatchObject({ mfaRequired: true })
    expect(await countSessions()).toBe(before)
    const { data } = await clientele.events.read(accountId, { types: ['device.removed'] })
    expect(data).toEqual([])
  })

  test('is on the device for as long as the account remembers it by then', async () => {
    const { clientele, accountId, logIn, changes } = await startChanging()
    changes.push(() => clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 29 }))
    const { deviceExpiresIn } = toSignedIn(await logIn())
    expect(deviceExpiresIn).toBe(29 * 24 * 3600)
  })

  test.each([
    [
      'the device is removed',
      ({ devices }, accountId, id, deviceId) => devices.remove(accountId, id, deviceId),
    ],
    ['all devices are removed', ({ devices }, accountId, id) => devices.removeAll(accountId, id)],
    ['another factor is added', ({ mfa }, accountId, id) => mfa.enrolEmail(accountId, id)],
    [
      'the factors are replaced',
      async (clientele, accountId, id) => {
        await clientele.mfa.remove(accountId, id)
        await world.enrolTotp(clientele, accountId, id)
      },
    ],
  ] satisfies [
    string,
    (clientele: Clientele, accountId: string, id: string, deviceId: string) => Promise<unknown>,
  ][])('asks for the second factor where %s while the hooks are asked again', async (_, end) => {
    const { clientele, accountId, user, logIn, countSessions, changes } = await startChanging()
    const [device] = await clientele.devices.list(accountId, user.id)
    changes.push(
      () => clientele.users.patch(accountId, user.id, { name: 'Other' }),
      () => end(clientele, accountId, user.id, device?.id ?? ''),
    )
    const before = await countSessions()
    expect(await logIn()).toMatchObject({ mfaRequired: true })
    expect(changes).toEqual([])
    expect(await countSessions()).toBe(before)
  })

  test('does not begin where the factors change once its session is open', async () => {
    let change: (() => Promise<unknown>) | undefined
    const opened = openRepository(database.url)
    const create: typeof opened.devices.create = async (...input) => {
      await change?.()
      return opened.devices.create(...input)
    }
    const repository = { ...opened, devices: { ...opened.devices, create } }
    const { clientele, accountId, user, rememberAgain } = await start({ repository })
    expect(await clientele.devices.list(accountId, user.id)).toHaveLength(1)
    change = () => clientele.mfa.enrolEmail(accountId, user.id)
    expect(await rememberAgain()).not.toHaveProperty('deviceToken')
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
  })

  test('shows the second factor where the password has expired, and keeps the device until another is set', async () => {
    const { clientele, accountId, user, logIn } = await start()
    await clientele.users.expirePassword(accountId, user.id)
    for (let times = 0; times < 2; times++)
      expect(await logIn()).toMatchObject({ mfaRequired: true })
    const { data } = await clientele.events.read(accountId, { types: ['device.removed'] })
    expect(data).toEqual([])
    expect(await clientele.devices.list(accountId, user.id)).toHaveLength(1)
    await clientele.users.patch(accountId, user.id, { password: 'password' })
    expect(await logIn()).toMatchObject({ mfaRequired: true })
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
  })

  test('gives no challenge that asks for another password without the second factor', async () => {
    const { clientele, accountId, user, logIn } = await start()
    await clientele.users.expirePassword(accountId, user.id)
    const asked = await logIn()
    if (!('mfaRequired' in asked)) throw new Error('Another answer.')
    const { challenge } = asked
    const change = { challenge, password: 'another password' }
    const refused = clientele.auth.changeExpiredPassword(accountId, change)
    expect(await codeOf(refused)).toBe('challenge_invalid')
  })
})
