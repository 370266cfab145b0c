import type { NewEvent, PersonalData } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { someEvent } from '../support/some-event.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)("exporting a person's data on $name", ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('has everything about the person, no secret, and nothing about others', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { id, email } = user
    const fail = (address: string) =>
      codeOf(clientele.auth.logIn(accountId, { email: address, password: 'no' }))
    await clientele.auth.requestEmailVerification(accountId, { email })
    await clientele.auth.verifyEmail(accountId, { token: await mailed('email_verification') })
    const { secret } = await clientele.mfa.enrolTotp(accountId, id)
    const names = { issuer: 'https://login.example.com', subject: id }
    const identity = await clientele.identities.link(accountId, id, names)
    const code = world.totpCode(secret)
    const recoveryCodes = await clientele.mfa.confirmTotp(accountId, id, { code })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const answer = { challenge, method: 'recovery_code', code: recoveryCodes[0] ?? '' } as const
    const proved = await clientele.auth.completeMfa(accountId, answer)
    const { refreshToken, token } = toSignedIn(proved)
    const verified = { email, verifiedAt: expect.any(Date) }
    expect((await clientele.users.exportData(accountId, id)).verifiedEmail).toEqual(verified)
    await clientele.users.patch(accountId, id, { email: `new-${email}` })
    // A former address: of no user at first, then of another user
    await fail(email)
    const heir = await world.addUser(clientele, { accountId, email })
    await fail(email)

    const data = await clientele.users.exportData(accountId, id)

    expect(data.user).toEqual((await clientele.users.find(accountId, id)).user)
    expect(data.sessions).toEqual(await clientele.sessions.list(accountId, id))
    expect(data.sessions).toHaveLength(1)
    expect(data.mfa).toEqual({ totp: true, email: false, recoveryCodesLeft: 9 })
    expect(data.identities).toEqual([identity])
    expect(data.verifiedEmail).toBeNull()
    expect(data.formerEmails).toEqual([email])
    expect(data.hasMore).toBe(false)
    expect(data.events.map(({ type, subject }) => [type, subject.id])).toEqual([
      ['user.created', id],
      ['user.email_verified', id],
      ['identity.linked', id],
      ['two_factor.enrolled', id],
      ['user.logged_in', id],
      ['user.exported', id],
      ['user.updated', id],
      ['user.login_failed', null],
    ])
    const text = JSON.stringify(data)
    for (const kept of [secret, refreshToken, token, heir.user.id, ...recoveryCodes])
      expect(text).not.toContain(kept)
    expect(text).not.toMatch(/argon2|hash|seed/)
    const [last] = (await clientele.events.read(accountId, { types: ['user.exported'] })).data
    expect(last).toMatchObject({ subject: { type: 'user', id }, data: {} })
  })

  test('reads a long history in pages: each event once, in order', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const repository = openRepository(database.url)
    const write = async (subjectId: string | null, person?: NewEvent['person']) => {
      const type = 'user.login_failed' as const
      const subject = { type: 'user' as const, id: subjectId }
      const event = { ...someEvent<typeof type>(accountId), type, subject, person }
      await repository.events.append(accountId, event)
      return event.id
    }
    const written: string[] = []
    for (let index = 0; index < 1_100; index++) {
      await write(null, { email: 'nobody@example.com' })
      const isTyped = index % 3 === 0
      written.push(await (isTyped ? write(null, { email: user.email }) : write(user.id)))
    }
    await repository.storage.close()
    const pages: PersonalData[] = []
    let after: string | undefined
    do {
      const page = await clientele.users.exportData(accountId, user.id, { after })
      pages.push(page)
      after = page.nextCursor
    } while (pages.at(-1)?.hasMore)
    expect(pages.map(({ events }) => events.length)).toEqual([500, 500, 103])
    const events = pages.flatMap((page) => page.events)
    expect(events.filter(({ type }) => type === 'user.login_failed').map(({ id }) => id)).toEqual(
      written,
    )
    // The pages themselves, but for the last
    expect(events.filter(({ type }) => type === 'user.exported')).toHaveLength(2)
  })

  test('invalid input is reported', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const other = await world.addUser(clientele)
    const { nextCursor } = await clientele.events.read(other.accountId)
    for (const input of [{ limit: 0 }, { limit: 501 }, { after: 'x' }, { after: nextCursor }]) {
      const asked = clientele.users.exportData(accountId, user.id, input)
      expect(await codeOf(asked)).toBe('validation_failed')
    }
    for (const method of ['exportData', 'erase'] as const) {
      expect(await codeOf(clientele.users[method](accountId, 'x'))).toBe('validation_failed')
      expect(await codeOf(clientele.users[method](accountId, other.user.id))).toBe('user_not_found')
    }
    await expect(clientele.users.find(other.accountId, other.user.id)).resolves.toBeDefined()
  })
})
