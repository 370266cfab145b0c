import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { bySecret, IssuerWorld } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { site } from './software-authenticator.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a token that begins an enrolment, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test.each([false, true])(
    'is of a sign-in here, not of another issuer (sign-in: %s)',
    async (signIn) => {
      const opened = await world.trusting({ ...bySecret, signIn })
      const { clientele, accountId, user, credentials, signBySecret, check } = opened
      await clientele.accounts.setPasskeys(accountId, { ...site, requireToken: true })
      const begin = (token: string) =>
        codeOf(clientele.passkeys.beginEnrolment(accountId, user.id, { token: `Bearer ${token}` }))
      const foreign = await signBySecret({ auth_time: world.seconds })
      expect(await check(foreign)).toBeUndefined()
      expect(await begin(foreign)).toBe('token_claims_invalid')
      const { token } = await logIn(clientele, accountId, credentials)
      expect(await begin(token)).toBeUndefined()
    },
  )
})
