import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { newReply, newUser, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

const erasure = {
  inTurn: <T>(last: () => Promise<T>) => last(),
  eventOf: () => someEvent<'user.erased'>(''),
  countKeysOf: () => ['login:digest'],
  toAnswer: <Erased>(erased: Erased) => erased,
}
const page = { after: 0, limit: 100 }

export const personalDataIsolation = {
  findEmails: async (repository, mine, theirs) => {
    const { id: userId, email } = theirs.user
    const token = { hash: 'hash', userId, purpose: 'email_verification', email } as const
    const expiresAt = start + 1
    await repository.emailTokens.create(theirs.accountId, { ...token, expiresAt })
    expect(await repository.personalData.findEmails(mine.accountId, userId)).toEqual({
      verified: null,
      former: [],
      hasMoreFormer: false,
      mailed: [],
    })
    expect(await repository.personalData.findEmails(theirs.accountId, userId)).toMatchObject({
      mailed: [{ email }],
    })
  },
  readEvents: async (repository, mine, theirs) => {
    const { id: userId, email } = theirs.user
    const event = {
      ...someEvent<'user.login_failed'>(theirs.accountId),
      type: 'user.login_failed' as const,
    }
    await repository.events.append(theirs.accountId, { ...event, person: { email } })
    // Events of the same id and address in the other account do not belong to this user.
    const twin = newUser({ id: userId, email })
    const created = someEvent<'user.created'>(mine.accountId)
    await repository.users.create(mine.accountId, twin, created)
    const read = (accountId: string) => repository.personalData.readEvents(accountId, userId, page)
    expect((await read(mine.accountId)).events).toEqual([])
    expect((await read(theirs.accountId)).events.map(({ id }) => id)).toEqual([event.id])
  },
  erase: async (repository, mine, theirs) => {
    const { id: userId, email } = theirs.user
    const { accountId } = theirs
    const type = 'user.login_failed' as const
    const failed = { ...someEvent<typeof type>(accountId), type, person: { email } }
    await repository.events.append(accountId, failed)
    await repository.rateLimits.add(accountId, 'login:digest', 1, start, start + 1)
    const reply = newReply()
    await repository.idempotency.keepAbout(accountId, userId, reply, 'theirs')
    const erase = () =>
      repository.personalData.erase(mine.accountId, userId, {
        ...erasure,
        eventOf: () => someEvent(mine.accountId),
      })
    expect(await erase()).toBeUndefined()
    await repository.users.create(
      mine.accountId,
      newUser({ id: userId, email }),
      someEvent(mine.accountId),
    )
    expect(await erase()).toMatchObject({ removed: { clientele_users: 1, clientele_sessions: 0 } })
    const { events } = await repository.events.read(accountId, page)
    expect(events.find(({ id }) => id === failed.id)?.person).toBe(JSON.stringify({ email }))
    expect(await repository.rateLimits.find(accountId, 'login:digest', start, 60_000)).toBeDefined()
    const { operation, key } = reply
    expect(await repository.idempotency.find(accountId, operation, key, start)).toMatchObject({
      answer: '"theirs"',
    })
  },
} satisfies IsolationCases<'personalData'>
