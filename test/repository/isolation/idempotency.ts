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
    await repository.users.delete(accountId, user.id, null, someEvent(accountId))
    const kept = await find(accountId)
    expect(kept).toMatchObject({ digest: reply.digest })
    expect(await find(mine.accountId)).toBeUndefined()
    // The same key in another account takes nothing away.
    const other = newReply({ digest: 'mine' })
    await repository.users.create(mine.accountId, newUser(), someEvent(mine.accountId), other)
    expect(await find(mine.accountId)).toMatchObject({ digest: 'mine' })
    expect(await find(accountId)).toEqual(kept)
  },
  keep: async (repository, mine, theirs) => {
    const reply = newReply()
    const find = (accountId: string) =>
      repository.idempotency.find(accountId, reply.operation, reply.key, start)
    const answer = { userId: theirs.user.id, answer: 'theirs' }
    await repository.idempotency.keep(theirs.accountId, reply, answer)
    const later = newReply({ now: reply.expiresAt, expiresAt: reply.expiresAt + hour })
    // Neither the same key nor the end of its time touches another account's.
    await repository.idempotency.keep(mine.accountId, later, { userId: null, answer: 'mine' })
    expect(await find(theirs.accountId)).toMatchObject({ answer: '"theirs"' })
    const again = repository.idempotency.keep(theirs.accountId, reply, answer)
    await expect(again).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  },
} satisfies IsolationCases<'idempotency'>
