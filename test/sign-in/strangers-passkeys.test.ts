import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { ada, IdTokenWorld, linking } from './id-token-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)(
  'passkeys of the registrant of an unverified address, on $name',
  ({ open }) => {
    let database: OpenDatabase
    const world = new IdTokenWorld(() => database.url)
    beforeAll(async () => {
      database = await open()
    })
    afterAll(() => database.close())

    /** A user with two passkeys, who is about to enrol one more; ada's issuer is trusted. */
    async function openEnrolled({ isProved = false } = {}) {
      const opened = await world.trusting(linking)
      const { clientele, accountId, user } = opened
      if (isProved) await world.proveAddress(accountId, user.email)
      await clientele.accounts.setPasskeys(accountId, site)
      const device = new SoftwareAuthenticator()
      const begin = (use: 'first_factor' | 'second_factor' = 'first_factor') =>
        clientele.passkeys.beginEnrolment(accountId, user.id, { use })
      const finish = async (begun: ReturnType<typeof begin>, more = {}) => {
        const { challenge, options } = await begun
        const response = device.create(options)
        return clientele.passkeys.enrol(accountId, user.id, { challenge, response, ...more })
      }
      for (const _ of [1, 2]) await finish(begin())
      return { ...opened, ...world.signer(opened), device, begin, finish }
    }

    async function logIn(clientele: Clientele, accountId: string, device: SoftwareAuthenticator) {
      const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
      return clientele.auth.logInWithPasskey(accountId, {
        challenge,
        response: device.get(options),
      })
    }

    test('end when its owner signs in, with an event for each', async () => {
      const { clientele, accountId, user, device, ...opened } = await openEnrolled()
      expect(await codeOf(logIn(clientele, accountId, device))).toBeUndefined()
      const passkeys = await clientele.passkeys.list(accountId, user.id)
      const begun = opened.begin()
      await begun
      world.now += 1_000
      const owner = await opened.logIn({ idToken: await opened.sign(ada) })
      expect(owner).toMatchObject({ user: { id: user.id } })
      expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
      expect(await codeOf(logIn(clientele, accountId, device))).toBe('passkey_invalid')
      expect(await codeOf(opened.finish(begun))).toBe('challenge_invalid')
      const { data } = await clientele.events.read(accountId, { types: ['passkey.removed'] })
      const removed = data.map((event) => event.type === 'passkey.removed' && event.data.passkeyId)
      expect(new Set(removed)).toEqual(new Set(passkeys.map(({ id }) => id)))
    })

    test('that are a second factor prevent linking, even to a proved address', async () => {
      const opened = await openEnrolled({ isProved: true })
      const { clientele, accountId, user, begin, finish, outcome } = opened
      await finish(begin('second_factor'), { use: 'second_factor' })
      expect(await outcome(ada)).toBe('token_user_not_found')
      expect(await clientele.passkeys.list(accountId, user.id)).toHaveLength(3)
    })

    test('stay where the address was verified', async () => {
      const opened = await openEnrolled({ isProved: true })
      const { clientele, accountId, user, device, outcome } = opened
      expect(await outcome(ada)).toBeUndefined()
      expect(await clientele.passkeys.list(accountId, user.id)).toHaveLength(2)
      expect(await codeOf(logIn(clientele, accountId, device))).toBeUndefined()
    })
  },
)
