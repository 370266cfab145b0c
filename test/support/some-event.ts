import { randomUUID } from 'node:crypto'
import type { EventType, NewEvent } from '@clientele/core'

/** An event for a write that is not about its event. */
export function someEvent<Type extends EventType>(accountId: string): NewEvent<Type> {
  return {
    id: randomUUID(),
    type: 'user.created',
    accountId,
    createdAt: Date.now(),
    actor: { type: 'system', id: null },
    requestId: randomUUID(),
    subject: { type: 'user', id: null },
    data: {},
  } as unknown as NewEvent<Type> // which type it is makes no difference to the store
}

/** Any events of a proof of an address. */
export function someProof(accountId: string) {
  const event = () => someEvent<never>(accountId)
  return {
    ...{ verified: event, factorsRemoved: event, passkeyRemoved: event },
    ...{ unlinked: event, userTokensRevoked: event },
  }
}
