import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dump } from '../personal-data/dump.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('what a caller holds on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const findStored = async (secrets: readonly string[]): Promise<string[]> => {
    const rows = await dump(database.url)
    return secrets.filter((secret) => rows.includes(secret.toLowerCase()))
  }

  test('is stored as a hash: API keys, refresh and e-mail tokens, challenges, recovery codes', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const { apiKey } = await clientele.apiKeys.create(accountId)
    const { email } = credentials
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await clientele.auth.forgotPassword(accountId, { email })
    await clientele.auth.requestEmailVerification(accountId, { email })
    await clientele.users.invite(accountId, { name: 'Grace', email: `grace-${email}` })
    await clientele.users.requestEmailChange(accountId, user.id, { email: `new-${email}` })
    const mails = [
      await mailed('email_change'),
      await mailed('email_change_notice'),
      await mailed('password_reset'),
      await mailed('email_verification'),
      await mailed('invitation'),
    ]
    const secrets = [apiKey, signedIn.refreshToken, challenge, ...mails, ...recoveryCodes]
    expect(await findStored([email])).toEqual([email])
    expect(await findStored(secrets)).toEqual([])
  })

  test('is encrypted if it is the secret of an app', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const { secret } = await clientele.mfa.enrolTotp(accountId, user.id)
    expect(await findStored([secret])).toEqual([])
  })
})
