import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a code of the second factor by e-mail, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A process in which something happens before a code is noted. */
  async function start() {
    let meanwhile = async (): Promise<void> => {}
    const opened = openRepository(database.url)
    const mailChallenge: Repository['mfa']['mailChallenge'] = async (...input) => {
      await meanwhile()
      return opened.mfa.mailChallenge(...input)
    }
    const repository = { ...opened, mfa: { ...opened.mfa, mailChallenge } }
    const { clientele, mails } = await world.start({ repository })
    const { clientele: elsewhere } = await world.start()
    const added = await world.addUser(elsewhere)
    const { accountId, user } = added
    const change = async () => {
      await elsewhere.users.patch(accountId, user.id, { email: `new-${user.email}` })
    }
    const race = () => {
      meanwhile = change
    }
    return { clientele, elsewhere, mails, ...added, race }
  }

  test('is not mailed to an address that the user has no more', async () => {
    const { clientele, elsewhere, mails, accountId, user, credentials, race } = await start()
    await elsewhere.mfa.enrolEmail(accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    race()
    expect(await codeOf(clientele.auth.mailMfaCode(accountId, { challenge }))).toBe(
      'challenge_invalid',
    )
    expect(mails).toEqual([])
  })

  test('enrols no factor by an address that the user has no more', async () => {
    const { clientele, elsewhere, mails, accountId, credentials, race } = await start()
    await elsewhere.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    race()
    const enrol = clientele.auth.enrolToLogIn(accountId, { challenge, method: 'email' })
    expect(await codeOf(enrol)).toBe('challenge_invalid')
    expect(mails).toEqual([])
  })
})
