import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

describe.each(databases)('the recovery codes of the last second factor, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user with recovery codes and one second factor, a passkey */
  async function start() {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    const enrol = async () => {
      const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
      const response = new SoftwareAuthenticator().create(options)
      const enrolled = { challenge, response, use: 'second_factor' } as const
      return clientele.passkeys.enrol(accountId, user.id, enrolled)
    }
    const passkey = await enrol()
    const [code = ''] = await clientele.mfa.renewRecoveryCodes(accountId, user.id)
    const challenge = () => world.challengeOf(clientele, accountId, credentials)
    return {
      enrol,
      /** As databases have it where the last factor was removed before codes ended with it */
      removeRow: () =>
        runSql(database.url, `delete from clientele_passkeys where id = '${passkey.id}'`),
      remove: () => clientele.passkeys.remove(accountId, user.id, passkey.id),
      enrolEmail: () => clientele.mfa.enrolEmail(accountId, user.id),
      left: async () => (await clientele.mfa.read(accountId, user.id)).recoveryCodesLeft,
      complete: async () => {
        const answer = { challenge: await challenge(), method: 'recovery_code', code } as const
        return codeOf(clientele.auth.completeMfa(accountId, answer))
      },
      reauthenticate: async () => {
        const { refreshToken } = await logIn(clientele, accountId, credentials)
        const shown = { refreshToken, method: 'recovery_code', code } as const
        return codeOf(clientele.auth.reauthenticate(accountId, shown))
      },
    }
  }

  test('end with it', async () => {
    const { remove, left, reauthenticate, enrolEmail, complete } = await start()
    await remove()
    expect(await left()).toBe(0)
    expect(await reauthenticate()).toBe('two_factor_code_invalid')
    await enrolEmail()
    expect(await complete()).toBe('two_factor_code_invalid')
  })

  test.each(['enrolEmail', 'enrol'] as const)(
    'are no codes of the next factor: %s',
    async (next) => {
      const opened = await start()
      await opened.removeRow()
      expect(await opened.left()).toBe(10)
      expect(await opened.reauthenticate()).toBe('two_factor_code_invalid')
      await opened[next]()
      expect(await opened.left()).toBe(0)
      expect(await opened.complete()).toBe('two_factor_code_invalid')
    },
  )

  test('stay as long as there is another factor', async () => {
    const { remove, left, enrolEmail, complete } = await start()
    await enrolEmail()
    await remove()
    expect(await left()).toBe(10)
    expect(await complete()).toBeUndefined()
  })

  test('stay as long as there is another passkey', async () => {
    const { enrol, remove, left, complete } = await start()
    await enrol()
    await remove()
    expect(await left()).toBe(10)
    expect(await complete()).toBeUndefined()
  })
})
