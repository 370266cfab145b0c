import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a sign-in that remembers its device, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user with codes by e-mail and a passkey as second factors, who signs in while something happens */
  async function start() {
    let meanwhile: (() => Promise<unknown>) | undefined
    const beforeSignIn = async (): Promise<void> => {
      const run = meanwhile
      meanwhile = undefined
      await run?.()
    }
    const { clientele, mailed } = await world.start({ hooks: { beforeSignIn } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
    const enrol = async () => {
      const device = new SoftwareAuthenticator()
      const use = 'second_factor' as const
      const begun = await clientele.passkeys.beginEnrolment(accountId, user.id, { use })
      const answer = { challenge: begun.challenge, response: device.create(begun.options), use }
      return { device, passkey: await clientele.passkeys.enrol(accountId, user.id, answer) }
    }
    const replacePasskey = async () => {
      await clientele.passkeys.remove(accountId, user.id, passkey.id)
      await enrol()
    }
    await clientele.mfa.enrolEmail(accountId, user.id)
    const { device, passkey } = await enrol()
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const byCode = async () => {
      await clientele.auth.mailMfaCode(accountId, { challenge })
      const code = await mailed('two_factor_code')
      const answer = { challenge, method: 'email', code, rememberDevice: true } as const
      return clientele.auth.completeMfa(accountId, answer)
    }
    const byPasskey = async () => {
      const { options } = await clientele.auth.beginPasskeyMfa(accountId, { challenge })
      const response = device.get(options)
      const answer = { challenge, method: 'passkey', response, rememberDevice: true } as const
      return clientele.auth.completeMfa(accountId, answer)
    }
    const renewCodes = async () => {
      await clientele.mfa.remove(accountId, user.id)
      await clientele.mfa.enrolEmail(accountId, user.id)
      await enrol()
    }
    const run = (change: () => Promise<unknown>) => {
      meanwhile = change
    }
    const isWaiting = () => meanwhile !== undefined
    const list = () => clientele.devices.list(accountId, user.id)
    return { replacePasskey, renewCodes, byCode, byPasskey, run, isWaiting, list }
  }

  test('remembers it while nothing changes', async () => {
    const { byCode, list } = await start()
    expect(await byCode()).toHaveProperty('deviceToken')
    expect(await list()).toHaveLength(1)
  })

  test.each(['replacePasskey', 'renewCodes'] as const)(
    'opens no session where as many factors of the same kind take their place: %s',
    async (change) => {
      const opened = await start()
      opened.run(opened[change])
      expect(await codeOf(opened.byCode())).toBe('challenge_invalid')
      expect(opened.isWaiting()).toBe(false)
      expect(await opened.list()).toEqual([])
    },
  )

  test('opens no session where its own passkey is replaced', async () => {
    const { replacePasskey, byPasskey, run, isWaiting, list } = await start()
    run(replacePasskey)
    expect(await codeOf(byPasskey())).toBe('challenge_invalid')
    expect(isWaiting()).toBe(false)
    expect(await list()).toEqual([])
  })
})
