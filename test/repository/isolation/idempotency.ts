import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { hour, newReply, newUser, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const idempotencyIsolation = {
  find: async (repository, mine, theirs) => {
    const reply = newReply()
    const find = (accountId: string) =>
      repository.idempotency.find(accountId, reply.operation, reply.key, start)
    const user = newUser()
    const { accountId } = theirs
    await repository.users.create(accountId, user, someEvent(accountId), reply)
    await repository.users.delete(accountId, user.id, null, () => someEvent(accountId))
    const kept = await find(accountId)
    expect(kept).toMatchObject({ digest: reply.digest })
    expect(await find(mine.accountId)).toBeUndefined()
    // The same key in another account takes nothing away.
    const other = newReply({ digest: 'mine' })
    await repository.users.create(mine.accountId, newUser(), someEvent(mine.accountId), other)
    expect(await find(mine.accountId)).toMatchObject({ digest: 'mine' })
    expect(await find(accountId)).toEqual(kept)
  },
  keepAbout: async (repository, mine, theirs) => {
    const reply = newReply()
    const { find, keepAbout } = repository.idempotency
    const userId = theirs.user.id
    const found = (accountId: string) => find(accountId, reply.operation, reply.key, start)
    expect(await keepAbout(mine.accountId, userId, reply, 'mine')).toBe(false)
    expect(await found(mine.accountId)).toBeUndefined()
    expect(await keepAbout(theirs.accountId, userId, reply, 'theirs')).toBe(true)
    const later = newReply({ now: reply.expiresAt, expiresAt: reply.expiresAt + hour })
    // Neither the same key nor the end of its time touches another account's.
    expect(await keepAbout(mine.accountId, mine.user.id, later, 'mine')).toBe(true)
    expect(await found(theirs.accountId)).toMatchObject({ answer: '"theirs"' })
    const again = keepAbout(theirs.accountId, userId, reply, 'theirs')
    await expect(again).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  },
} satisfies IsolationCases<'idempotency'>
