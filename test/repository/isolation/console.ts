import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { start } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { addWebhook } from './webhooks.ts'

const belongsToNoAccount = 'operators see all accounts, and of sessions only hashes are kept'
const day = Math.floor(start / 86_400_000)

export const consoleIsolation = {
  addLink: { belongsToNoAccount },
  takeLink: { belongsToNoAccount },
  addSession: { belongsToNoAccount },
  hasSession: { belongsToNoAccount },
  endSession: { belongsToNoAccount },
  countUsers: async (repository, mine, theirs) => {
    const { accountId, user } = mine
    await repository.users.setActive(accountId, user.id, false, start, someEvent(accountId))
    expect(await repository.console.countUsers(accountId)).toEqual({ total: 1, active: 0 })
    const ofTheirs = await repository.console.countUsers(theirs.accountId)
    expect(ofTheirs).toEqual({ total: 1, active: 1 })
  },
  countCreated: async (repository, mine, theirs) => {
    for (const { accountId } of [mine, theirs])
      expect(await repository.console.countCreated(accountId, { first: day, last: day })).toEqual([
        { day, created: 1 },
      ])
  },
  countSignIns: async (repository, mine, theirs) => {
    const event = {
      ...someEvent<'user.logged_in'>(theirs.accountId),
      type: 'user.logged_in' as const,
    }
    await repository.events.append(theirs.accountId, event)
    const today = Math.floor(Date.now() / 86_400_000)
    const days = { first: today - 1, last: today }
    const count = (accountId: string) => repository.console.countSignIns(accountId, days)
    expect(await count(mine.accountId)).toEqual([])
    expect(await count(theirs.accountId)).toMatchObject([{ succeeded: 1, failed: 0 }])
  },
  countSessions: async (repository, mine, theirs) => {
    const { accountId, user } = mine
    const count = (id: string) => repository.console.countSessions(id, start)
    expect([await count(accountId), await count(theirs.accountId)]).toEqual([1, 1])
    await repository.sessions.deleteAll(accountId, user.id, () => someEvent(accountId))
    expect([await count(accountId), await count(theirs.accountId)]).toEqual([0, 1])
  },
  listWebhookHealth: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    expect(await repository.console.listWebhookHealth(mine.accountId)).toEqual([])
    const listed = await repository.console.listWebhookHealth(theirs.accountId)
    expect(listed).toMatchObject([{ id, failingSince: null, lastStatus: null }])
  },
} satisfies IsolationCases<'console'>
