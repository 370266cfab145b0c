import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

const conditions = { passwordHash: 'hash', tokensNotBefore: undefined }

function newDevice(userId: string) {
  const times = { createdAt: start, expiresAt: start + 86_400_000 }
  return { id: nextId(), userId, name: 'Laptop', ...times, successorSeed: 's', tokenHash: 'h' }
}

async function remember(repository: Repository, { accountId, user }: Tenant): Promise<string> {
  const device = newDevice(user.id)
  const { passwordHash = null } =
    (await repository.users.findCredentials(accountId, user.email)) ?? {}
  const compared = { ...conditions, passwordHash }
  const event = someEvent<'device.remembered'>(accountId)
  const surplus = () => someEvent<'device.removed'>(accountId)
  const created = await repository.devices.create(accountId, device, compared, event, surplus)
  expect(created).toEqual({ surplus: undefined })
  return device.id
}

async function isKept(repository: Repository, { accountId, user }: Tenant, id: string) {
  const kept = await repository.devices.find(accountId, user.id, id)
  expect(kept).toMatchObject({ id, tokenHash: 'h' })
}

export const devicesIsolation = {
  create: async (repository, mine, theirs) => {
    const device = newDevice(theirs.user.id)
    const { passwordHash = null } =
      (await repository.users.findCredentials(theirs.accountId, theirs.user.email)) ?? {}
    const compared = { ...conditions, passwordHash }
    const event = someEvent<'device.remembered'>(mine.accountId)
    const surplus = () => someEvent<'device.removed'>(mine.accountId)
    expect(
      await repository.devices.create(mine.accountId, device, compared, event, surplus),
    ).toBeUndefined()
    const { accountId, user } = theirs
    expect(await repository.devices.list(accountId, user.id, start)).toEqual([])
  },
  find: async (repository, mine, theirs) => {
    const id = await remember(repository, theirs)
    expect(await repository.devices.find(mine.accountId, theirs.user.id, id)).toBeUndefined()
    expect(await repository.devices.find(theirs.accountId, mine.user.id, id)).toBeUndefined()
  },
  list: async (repository, mine, theirs) => {
    await remember(repository, theirs)
    expect(await repository.devices.list(mine.accountId, theirs.user.id, start)).toEqual([])
  },
  delete: async (repository, mine, theirs) => {
    const id = await remember(repository, theirs)
    const event = someEvent<'device.removed'>(mine.accountId)
    const { accountId } = mine
    expect(await repository.devices.delete(accountId, theirs.user.id, id, event)).toBe(false)
    await isKept(repository, theirs, id)
  },
  deleteAll: async (repository, mine, theirs) => {
    const id = await remember(repository, theirs)
    const eventOf = () => someEvent<'device.removed'>(mine.accountId)
    const { accountId } = mine
    expect(await repository.devices.deleteAll(accountId, theirs.user.id, eventOf)).toBeUndefined()
    await isKept(repository, theirs, id)
  },
} satisfies IsolationCases<'devices'>
