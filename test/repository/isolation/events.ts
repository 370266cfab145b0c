import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import type { IsolationCases } from './case.ts'

const everything = { after: 0, limit: 100 }

export const eventsIsolation = {
  append: async (repository, mine, theirs) => {
    const before = await repository.events.read(theirs.accountId, everything)
    const event = someEvent<'user.created'>(mine.accountId)
    await repository.events.append(mine.accountId, event)
    const aboutUser = {
      ...someEvent<'user.created'>(mine.accountId),
      subject: { type: 'user' as const, id: mine.user.id },
    }
    await repository.events.append(mine.accountId, aboutUser)
    const { events } = await repository.events.read(mine.accountId, everything)
    const ids = events.map(({ id }) => id)
    expect(ids).toContain(event.id)
    expect(ids).toContain(aboutUser.id)
    expect(await repository.events.read(theirs.accountId, everything)).toEqual(before)
  },
  read: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    const { events } = await repository.events.read(mine.accountId, everything)
    expect(events.map(({ id }) => id)).not.toContain(event.id)
  },
  readPlaced: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    const { lastPosition } = await repository.events.findEnd(theirs.accountId)
    await repository.events.findEnd(mine.accountId)
    // Read at once they share a statement.
    const [own, others] = await Promise.all(
      [mine, theirs].map(({ accountId }) => repository.events.readPlaced(accountId, everything)),
    )
    expect(own?.events.map(({ id }) => id)).not.toContain(event.id)
    expect(others?.events.at(-1)?.id).toBe(event.id)
    expect(others?.position).toBe(lastPosition)
  },
  readLatest: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    const [latest] = (await repository.events.readLatest(theirs.accountId, everything)).events
    expect(latest?.id).toBe(event.id)
    const { events } = await repository.events.readLatest(mine.accountId, everything)
    expect(events.map(({ id }) => id)).not.toContain(event.id)
  },
  has: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    expect(await repository.events.has(mine.accountId, event.id)).toBe(false)
    expect(await repository.events.has(theirs.accountId, event.id)).toBe(true)
  },
  findEnd: async (repository, mine, theirs) => {
    const before = await repository.events.findEnd(mine.accountId)
    await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    expect(await repository.events.findEnd(mine.accountId)).toEqual(before)
    await repository.events.append(mine.accountId, someEvent(mine.accountId))
    const { lastPosition } = await repository.events.findEnd(mine.accountId)
    expect(lastPosition).toBe(before.lastPosition + 1)
  },
  givePlaces: async (repository, mine, theirs) => {
    await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    await repository.events.givePlaces([mine.accountId])
    const [head] = await repository.events.findHeads([theirs.accountId])
    expect(head?.hasPending).toBe(true)
    await repository.events.givePlaces([mine.accountId, theirs.accountId])
    const heads = await repository.events.findHeads([mine.accountId, theirs.accountId])
    expect(heads.map(({ hasPending }) => hasPending)).toEqual([false, false])
  },
  findHeads: async (repository, mine, theirs) => {
    await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    const [head] = await repository.events.findHeads([mine.accountId])
    expect(head?.accountId).toBe(mine.accountId)
    const { position } = await repository.events.read(mine.accountId, everything)
    expect(await repository.events.findHeads([mine.accountId])).toEqual([
      { accountId: mine.accountId, lastPosition: position, hasPending: false },
    ])
  },
  findStart: async (repository, mine, theirs) => {
    for (let count = 0; count < 3; count++)
      await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    await repository.events.read(theirs.accountId, everything)
    const { position } = await repository.events.read(mine.accountId, everything)
    // No id has so late a time.
    expect(await repository.events.findStart(mine.accountId, 2 ** 48 - 1)).toBe(position)
  },
  purge: async (repository, mine, theirs) => {
    await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    const before = await repository.events.read(theirs.accountId, everything)
    await repository.events.read(mine.accountId, everything)
    await repository.events.purge(mine.accountId, {
      now: Date.now(),
      eventsBefore: Number.MAX_SAFE_INTEGER,
    })
    expect((await repository.events.read(mine.accountId, everything)).events).toEqual([])
    expect(await repository.events.read(theirs.accountId, everything)).toEqual(before)
  },
  linkBy: { belongsToNoAccount: 'whoever has the secrets links the entries of every feed' },
  findChainEnds: async (repository, mine, theirs) => {
    await repository.events.append(theirs.accountId, someEvent(theirs.accountId))
    await repository.events.read(theirs.accountId, everything)
    const { position } = await repository.events.read(mine.accountId, everything)
    const ends = await repository.events.findChainEnds(mine.accountId)
    expect(ends?.end ?? { position: 0, chain: null }).toEqual({ position, chain: null })
  },
  readChained: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    await repository.events.read(theirs.accountId, everything)
    const range = { after: 0, until: Number.MAX_SAFE_INTEGER, limit: 100 }
    const entries = await repository.events.readChained(mine.accountId, range)
    expect(entries.map(({ id }) => id)).not.toContain(event.id)
  },
  readOutside: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    await repository.events.read(theirs.accountId, everything)
    const range = { after: 0, until: 0, limit: 100 }
    const entries = await repository.events.readOutside(mine.accountId, range)
    expect(entries.map(({ id }) => id)).not.toContain(event.id)
  },
} satisfies IsolationCases<'events'>
