import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { start } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { addWebhook } from './webhooks.ts'

const belongsToNoAccount = 'a link opens a session of operators, who see all accounts'
const day = Math.floor(start / 86_400_000)

export const consoleIsolation = {
  addLink: { belongsToNoAccount },
  takeLink: { belongsToNoAccount },
  countUsers: async (repository, mine, theirs) => {
    const count = () => repository.console.countUsers(mine.accountId)
    const before = await count()
    expect(before.total).toBeGreaterThan(0)
    await repository.users.setActive(
      theirs.accountId,
      theirs.user.id,
      false,
      start,
      someEvent(theirs.accountId),
    )
    expect(await count()).toEqual(before)
    const active = (await repository.console.countUsers(theirs.accountId)).active
    expect(active).toBe(before.active - 1)
  },
  countCreated: async (repository, mine, theirs) => {
    const [mineOfDay] = await repository.console.countCreated(mine.accountId, start - 1)
    const [theirsOfDay] = await repository.console.countCreated(theirs.accountId, start - 1)
    expect(mineOfDay).toEqual({ day, created: expect.any(Number) })
    const { total } = await repository.console.countUsers(mine.accountId)
    expect([mineOfDay?.created, theirsOfDay?.created]).toEqual([total, total])
  },
  countSignIns: async (repository, mine, theirs) => {
    const event = {
      ...someEvent<'user.logged_in'>(theirs.accountId),
      type: 'user.logged_in' as const,
    }
    await repository.events.append(theirs.accountId, event)
    const count = (accountId: string) => repository.console.countSignIns(accountId, 0)
    expect(await count(mine.accountId)).toEqual([])
    expect(await count(theirs.accountId)).toMatchObject([{ succeeded: 1, failed: 0 }])
  },
  countSessions: async (repository, mine, theirs) => {
    const count = () => repository.console.countSessions(mine.accountId, start)
    const before = await count()
    const { accountId, user } = theirs
    await repository.sessions.deleteAll(accountId, user.id, () => someEvent(accountId))
    expect(await count()).toBe(before)
  },
  listWebhookHealth: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    expect(await repository.console.listWebhookHealth(mine.accountId)).toEqual([])
    const listed = await repository.console.listWebhookHealth(theirs.accountId)
    expect(listed).toMatchObject([{ id, failingSince: null, lastStatus: null }])
  },
} satisfies IsolationCases<'console'>
