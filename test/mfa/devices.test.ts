import type { ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 86_400_000

describe.each(databases)('a remembered device, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(rememberDeviceDays = 30, options: Partial<ClienteleOptions> = {}) {
    const started = await world.start(options)
    const { clientele } = started
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    await clientele.accounts.setPolicy(accountId, { rememberDeviceDays })
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    return { ...started, ...added, recoveryCodes }
  }
  type Started = Awaited<ReturnType<typeof start>>

  /** Proves the second factor with the next recovery code, and has the device remembered. */
  async function prove(started: Started, deviceName?: string) {
    const { clientele, accountId, credentials, recoveryCodes } = started
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const code = recoveryCodes.shift() ?? ''
    const answer = { challenge, method: 'recovery_code' as const, code, rememberDevice: true }
    const given = { ...answer, ...(deviceName && { deviceName }) }
    return toSignedIn(await clientele.auth.completeMfa(accountId, given))
  }

  async function remember(started: Started): Promise<string> {
    const { deviceToken } = await prove(started)
    if (deviceToken === undefined) throw new Error('The device was not remembered.')
    return deviceToken
  }

  /** Signs in with a token; undefined: the second factor was asked for. */
  async function use({ clientele, accountId, credentials }: Started, deviceToken: string) {
    const result = await clientele.auth.logIn(accountId, { ...credentials, deviceToken })
    return 'token' in result ? result : undefined
  }

  const removals = async ({ clientele, accountId }: Started) => {
    const { data } = await clientele.events.read(accountId, { types: ['device.*'] })
    return data.map(({ type, actor, data: about }) => [type, actor.type, about])
  }

  test('needs no second factor, and each use replaces its token', async () => {
    const started = await start()
    const { clientele, accountId, user } = started
    const proved = await prove(started, 'Laptop')
    expect(proved).toMatchObject({
      deviceToken: expect.stringMatching(/^[\w-]{91}$/),
      deviceExpiresIn: (30 * day) / 1000,
    })
    const [device] = await clientele.devices.list(accountId, user.id)
    const at = new Date(world.now)
    const times = { createdAt: at, lastUsedAt: at, expiresAt: new Date(world.now + 30 * day) }
    expect(device).toEqual({ id: expect.any(String), name: 'Laptop', ...times })
    world.now += day
    const first = await use(started, proved.deviceToken ?? '')
    expect(first?.deviceToken).not.toBe(proved.deviceToken)
    expect(first?.deviceExpiresIn).toBe((29 * day) / 1000)
    const sessions = await clientele.sessions.list(accountId, user.id)
    expect(sessions.at(-1)?.amr).toEqual(['pwd', 'swk'])
    expect(await clientele.devices.list(accountId, user.id)).toEqual([
      { ...device, lastUsedAt: new Date(world.now) },
    ])
    expect(await use(started, first?.deviceToken ?? '')).toBeDefined()
    expect(await removals(started)).toEqual([
      ['device.remembered', 'user', { deviceId: device?.id }],
    ])
    expect(await clientele.users.exportData(accountId, user.id)).toMatchObject({
      devices: [{ id: device?.id, name: 'Laptop' }],
    })
  })

  test('ends when a used token comes again, and an event says so', async () => {
    const started = await start()
    const { clientele, accountId, user } = started
    const stolen = await remember(started)
    const [device] = await clientele.devices.list(accountId, user.id)
    const thief = await use(started, stolen)
    const again = await use(started, thief?.deviceToken ?? '')
    expect(await use(started, stolen)).toBeUndefined()
    expect(await use(started, again?.deviceToken ?? '')).toBeUndefined()
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
    expect((await removals(started)).slice(1)).toEqual([
      ['device.removed', 'user', { deviceIds: [device?.id], reason: 'token_reused' }],
    ])
  })

  test('passes one of several sign-ins at once with the same token', async () => {
    const started = await start()
    const token = await remember(started)
    const results = await Promise.all(Array.from({ length: 4 }, () => use(started, token)))
    expect(results.filter((result) => result !== undefined)).toHaveLength(1)
  })

  test('is not known by a token that is made up, changed, or of another user or account', async () => {
    const started = await start()
    const token = await remember(started)
    const neighbour = await world.addUser(started.clientele, { accountId: started.accountId })
    const { recoveryCodes } = await world.enrolTotp(
      started.clientele,
      neighbour.accountId,
      neighbour.user.id,
    )
    const beside = { ...started, ...neighbour, recoveryCodes }
    const elsewhere = await start()
    expect(await use(beside, token)).toBeUndefined()
    expect(await use(elsewhere, token)).toBeUndefined()
    const bytes = Buffer.from(token, 'base64url')
    const changed = [0, 16, 19, 30, 60].map((at) => {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy.toString('base64url')
    })
    const secretAlone = changed[3] ?? ''
    for (const wrong of ['x', 'x'.repeat(91), `${token}A`, ...changed])
      if (wrong !== secretAlone) expect(await use(started, wrong)).toBeUndefined()
    expect(await use(started, token)).toBeDefined()
    const { clientele, accountId, credentials } = started
    const wrong = { ...credentials, password: 'wrong', deviceToken: token }
    expect(await codeOf(clientele.auth.logIn(accountId, wrong))).toBe('credentials_invalid')
  })

  test.each<[string, (started: Started) => Promise<unknown>]>([
    [
      'a new password',
      async (started) => {
        const { clientele, accountId, user, credentials } = started
        credentials.password = 'another password'
        await clientele.users.patch(accountId, user.id, { password: credentials.password })
      },
    ],
    [
      'a deactivation',
      async ({ clientele, accountId, user }) => {
        await clientele.users.deactivate(accountId, user.id)
        await clientele.users.activate(accountId, user.id)
      },
    ],
    [
      'another second factor',
      async ({ clientele, accountId, user }) => clientele.mfa.enrolEmail(accountId, user.id),
    ],
    [
      'the removal of the second factors',
      async (started) => {
        const { clientele, accountId, user } = started
        await clientele.mfa.remove(accountId, user.id)
        await world.enrolTotp(clientele, accountId, user.id)
      },
    ],
    [
      'a passkey as second factor, and its removal',
      async (started) => {
        const { clientele, accountId, user } = started
        await clientele.accounts.setPasskeys(accountId, site)
        const use = 'second_factor' as const
        const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id, {
          use,
        })
        const response = new SoftwareAuthenticator().create(options)
        const { id } = await clientele.passkeys.enrol(accountId, user.id, {
          ...{ challenge, response, use },
        })
        expect(await clientele.devices.list(accountId, user.id)).toEqual([])
        await remember(started)
        await clientele.passkeys.remove(accountId, user.id, id)
      },
    ],
    [
      'an app that is enrolled on the way in beside codes by mail',
      async (started) => {
        const { clientele, accountId, user, mailed } = started
        const { auth, mfa } = clientele
        await world.proveAddress(accountId, user.email)
        const signIn = ['password' as const, 'email_code' as const]
        await clientele.accounts.setPolicy(accountId, { signIn, secondFactor: 'required' })
        await mfa.enrolEmail(accountId, user.id)
        started.recoveryCodes = await mfa.renewRecoveryCodes(accountId, user.id)
        await remember(started)
        const { challenge } = await auth.mailSignInCode(accountId, { email: user.email })
        const code = await mailed('sign_in_code')
        const asked = await auth.logInWithCode(accountId, { challenge, code })
        if (!('mfaEnrolmentRequired' in asked)) throw new Error('No enrolment was asked for.')
        const app = { challenge: asked.challenge, method: 'totp' as const }
        const { secret } = await auth.enrolToLogIn(accountId, app)
        await auth.completeMfa(accountId, { ...app, code: world.totpCode(secret) })
      },
    ],
    [
      'the first proof of the address',
      ({ accountId, user }) => world.proveAddress(accountId, user.email),
    ],
  ])('ends with %s', async (_title, change) => {
    const started = await start()
    const { clientele, accountId, user } = started
    const token = await remember(started)
    await change(started)
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
    const { credentials } = started
    const result = await clientele.auth.logIn(accountId, { ...credentials, deviceToken: token })
    expect(result).not.toHaveProperty('deviceToken')
  })

  test.each<[string, (started: Started) => Promise<unknown>]>([
    [
      'removed and enrolled anew',
      async ({ clientele, accountId, user }) => {
        await clientele.mfa.remove(accountId, user.id)
        await world.enrolTotp(clientele, accountId, user.id)
      },
    ],
    [
      'joined by another one',
      ({ clientele, accountId, user }) => clientele.mfa.enrolEmail(accountId, user.id),
    ],
  ])(
    'is not remembered by a sign-in whose factors are %s before its hooks answer',
    async (_title, change) => {
      const asked = Promise.withResolvers<void>()
      const changed = Promise.withResolvers<void>()
      const beforeSignIn = async () => {
        asked.resolve()
        await changed.promise
      }
      const started = await start(30, { hooks: { beforeSignIn } })
      const { clientele, accountId, user } = started
      const refused = codeOf(prove(started))
      await asked.promise
      await change(started)
      changed.resolve()
      expect(await refused).toBe('challenge_invalid')
      expect(await clientele.devices.list(accountId, user.id)).toEqual([])
    },
  )

  test('lives as long as the policy says, at most as when it was remembered', async () => {
    const started = await start(30)
    const { clientele, accountId, user } = started
    const setDays = (rememberDeviceDays: number) =>
      clientele.accounts.setPolicy(accountId, { rememberDeviceDays })
    const first = await remember(started)
    world.now += 2 * day
    await setDays(2)
    expect(await use(started, first)).toBeUndefined()
    await setDays(0)
    expect(await use(started, first)).toBeUndefined()
    expect(await prove(started)).not.toHaveProperty('deviceToken')
    await setDays(90)
    const second = await use(started, first)
    expect(second?.deviceExpiresIn).toBe((28 * day) / 1000)
    world.now += 28 * day
    expect(await use(started, second?.deviceToken ?? '')).toBeUndefined()
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
    expect((await removals(started)).map(([type]) => type)).toEqual(['device.remembered'])
  })

  test('stands for the second factor that an account requires', async () => {
    const started = await start()
    const token = await remember(started)
    await started.clientele.accounts.setPolicy(started.accountId, { secondFactor: 'required' })
    expect(await use(started, token)).toBeDefined()
  })

  test('is forgotten by the application, one or all', async () => {
    const started = await start()
    const { clientele, accountId, user } = started
    const tokens = [await remember(started), await remember(started), await remember(started)]
    const [first, ...others] = await clientele.devices.list(accountId, user.id)
    const { devices } = clientele
    await devices.remove(accountId, user.id, first?.id ?? '')
    expect(await codeOf(devices.remove(accountId, user.id, first?.id ?? ''))).toBe(
      'device_not_found',
    )
    expect(await use(started, tokens[0] ?? '')).toBeUndefined()
    await devices.removeAll(accountId, user.id)
    await devices.removeAll(accountId, user.id)
    expect(await use(started, tokens[2] ?? '')).toBeUndefined()
    const nobody = '019dfae2-6a4d-7000-8000-000000000000'
    expect(await codeOf(devices.removeAll(accountId, nobody))).toBe('user_not_found')
    expect(await codeOf(devices.list(accountId, nobody))).toBe('user_not_found')
    expect((await removals(started)).slice(3)).toEqual([
      ['device.removed', 'operator', { deviceIds: [first?.id], reason: 'requested' }],
      [
        'device.removed',
        'operator',
        { deviceIds: expect.arrayContaining(others.map(({ id }) => id)), reason: 'requested' },
      ],
    ])
  })

  test('is one of twenty at most: that which was used longest ago goes', async () => {
    const started = await start()
    const { clientele, accountId, user } = started
    const first = await remember(started)
    const [oldest] = await clientele.devices.list(accountId, user.id)
    for (let count = 0; count < 2; count++) {
      const codes = await clientele.mfa.renewRecoveryCodes(accountId, user.id)
      started.recoveryCodes.splice(0, Number.POSITIVE_INFINITY, ...codes)
      for (let more = 0; more < 10; more++) {
        world.now += 60_000
        await remember(started)
      }
    }
    expect(await clientele.devices.list(accountId, user.id)).toHaveLength(20)
    expect(await use(started, first)).toBeUndefined()
    expect((await removals(started)).filter(([type]) => type === 'device.removed')).toEqual([
      ['device.removed', 'user', { deviceIds: [oldest?.id], reason: 'surplus' }],
    ])
  })
})
