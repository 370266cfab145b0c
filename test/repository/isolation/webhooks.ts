import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { hour, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

type WebhookRecord = Parameters<Repository['webhooks']['create']>[1]
type PendingDelivery = Parameters<Repository['webhooks']['addPending']>[2]

export const webhooksIsolation = {
  create: async (repository, mine, theirs) => {
    for (let count = 0; count < 2; count++) await addWebhook(repository, theirs)
    const options = { maximum: 2, position: 0 }
    const create = (tenant: Tenant) =>
      repository.webhooks.create(
        tenant.accountId,
        newWebhook(),
        options,
        someEvent(tenant.accountId),
      )
    // Each account has a limit of its own.
    expect(await create(theirs)).toBe('webhook_limit_reached')
    expect(await create(mine)).toBe('created')
  },
  list: async (repository, mine, theirs) => {
    await addWebhook(repository, theirs)
    expect(await repository.webhooks.list(mine.accountId)).toEqual([])
  },
  find: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    expect(await repository.webhooks.find(mine.accountId, id)).toBeUndefined()
  },
  update: async (repository, mine, theirs) => {
    const webhook = await addWebhook(repository, theirs)
    const changed = { ...webhook, url: 'https://thief.example.com', updatedAt: start + 1 }
    for (const position of [undefined, 0]) {
      const options = { unchangedSince: start, position }
      const event = someEvent<'webhook.updated'>(mine.accountId)
      expect(await repository.webhooks.update(mine.accountId, changed, options, event)).toBe(false)
    }
    await expectUnchanged(repository, theirs, webhook)
  },
  disable: async (repository, mine, theirs) => {
    const webhook = await addWebhook(repository, theirs)
    const change = { reason: 'gone', at: start + 1, unchangedSince: start } as const
    const event = someEvent<'webhook.disabled'>(mine.accountId)
    const { id } = webhook
    expect(await repository.webhooks.disable(mine.accountId, id, change, event)).toBe(false)
    await expectUnchanged(repository, theirs, webhook)
  },
  delete: async (repository, mine, theirs) => {
    const webhook = await addWebhook(repository, theirs)
    const event = someEvent<'webhook.deleted'>(mine.accountId)
    expect(await repository.webhooks.delete(mine.accountId, webhook.id, event)).toBe(false)
    await expectUnchanged(repository, theirs, webhook)
  },
  replay: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs, 5)
    expect(await repository.webhooks.replay(mine.accountId, id, 0, someEvent(mine.accountId))).toBe(
      false,
    )
    expect(await lease(repository, theirs, id)).toMatchObject({ position: 5 })
  },
  addPending: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    expect(await repository.webhooks.addPending(mine.accountId, id, newPending())).toBe(false)
    expect(await listPending(repository, theirs, id)).toEqual([])
  },
  listPending: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    const pending = newPending()
    expect(await repository.webhooks.addPending(theirs.accountId, id, pending)).toBe(true)
    expect(await listPending(repository, mine, id)).toEqual([])
    expect(await listPending(repository, theirs, id)).toEqual([pending])
  },
  listAttempts: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    await lease(repository, theirs, id)
    const attempt = newAttempt()
    await settle(repository, theirs, id, { attempts: [attempt] })
    expect(await repository.webhooks.listAttempts(mine.accountId, id, 10)).toEqual([])
    expect(await repository.webhooks.listAttempts(theirs.accountId, id, 10)).toEqual([attempt])
  },
  lease: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    expect(await lease(repository, mine, id)).toBeUndefined()
    expect(await lease(repository, theirs, id)).toMatchObject({ accountId: theirs.accountId })
  },
  findSendable: async (repository, mine, theirs) => {
    const event = someEvent<'user.created'>(theirs.accountId)
    await repository.events.append(theirs.accountId, event)
    const [ofMine, ofTheirs] = [
      await addWebhook(repository, mine),
      await addWebhook(repository, theirs),
    ]
    const find = ({ accountId }: Tenant, webhook: WebhookRecord) =>
      repository.webhooks.findSendable(accountId, event.id, webhook)
    // Asked at once they share a statement.
    const asked = [find(mine, ofMine), find(mine, ofTheirs), find(theirs, ofTheirs)]
    const [others, byOther, own] = await Promise.all(asked)
    expect(others).toEqual({ isActive: true, exists: false, hasPerson: false })
    expect(byOther).toBeUndefined()
    expect(own).toEqual({ isActive: true, exists: true, hasPerson: event.person !== undefined })
  },
  settle: async (repository, mine, theirs) => {
    const { id } = await addWebhook(repository, theirs)
    await lease(repository, theirs, id)
    const pending = newPending()
    await repository.webhooks.addPending(theirs.accountId, id, pending)
    const work = { ended: [pending.eventId], attempts: [newAttempt()], pending: [newPending()] }
    expect(await settle(repository, mine, id, work)).toBeUndefined()
    expect(await listPending(repository, theirs, id)).toEqual([pending])
    expect(await repository.webhooks.listAttempts(theirs.accountId, id, 10)).toEqual([])
  },
  placeNews: { belongsToNoAccount: 'one process sends what is due in every account' },
  hasMoreThan: { belongsToNoAccount: 'it counts the endpoints of all accounts, and no more' },
  listAccounts: { belongsToNoAccount: 'one process sends what is due in every account' },
  findNews: { belongsToNoAccount: 'one process sends what is due in every account' },
  passOver: { belongsToNoAccount: 'one process sends what is due in every account' },
  countFailing: { belongsToNoAccount: 'it counts the failing endpoints of all accounts' },
  findDueSince: { belongsToNoAccount: 'it says how far all deliveries are behind, and no more' },
  findDue: { belongsToNoAccount: 'one process sends what is due in every account' },
} satisfies IsolationCases<'webhooks'>

function newWebhook(): WebhookRecord {
  return {
    id: nextId(),
    url: 'https://example.com/hook',
    types: ['*'],
    description: '',
    isActive: true,
    disabledReason: null,
    encryptedSecret: 'sealed',
    previousEncryptedSecret: null,
    previousExpiresAt: null,
    createdAt: start,
    updatedAt: start,
  }
}

function newPending(): PendingDelivery {
  return { eventId: nextId(), position: 1, payload: null, attempts: 1, nextAttemptAt: start }
}

function newAttempt() {
  return {
    id: nextId(),
    eventId: nextId(),
    type: 'user.created',
    attempt: 1,
    status: 204,
    attemptedAt: start,
    durationMs: 5,
    reason: null,
  }
}

export async function addWebhook(
  repository: Repository,
  { accountId }: Pick<Tenant, 'accountId'>,
  position = 0,
  changes: Partial<WebhookRecord> = {},
) {
  const webhook = { ...newWebhook(), ...changes }
  const options = { maximum: 10, position }
  await repository.webhooks.create(accountId, webhook, options, someEvent(accountId))
  return webhook
}

const held = { holder: 'one', now: start, until: start + hour }

function lease(repository: Repository, { accountId }: Tenant, id: string) {
  return repository.webhooks.lease(accountId, id, held)
}

function settle(repository: Repository, { accountId }: Tenant, id: string, work: object) {
  const settlement = { ...held, position: 0, failingSince: null, attemptCount: 1 }
  const nothing = { pending: [], ended: [], attempts: [] }
  return repository.webhooks.settle(accountId, id, { ...settlement, ...nothing, ...work })
}

function listPending(repository: Repository, { accountId }: Tenant, id: string) {
  return repository.webhooks.listPending(accountId, id, { after: 0, until: start }, 10)
}

async function expectUnchanged(repository: Repository, tenant: Tenant, webhook: WebhookRecord) {
  expect(await repository.webhooks.find(tenant.accountId, webhook.id)).toEqual(webhook)
}
