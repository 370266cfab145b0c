import type { Event } from '@clientele/client'

export type EventType = Event['type']

/** The groups of event types; each type is in one group. */
export const eventGroups = {
  users: [
    'user.created',
    'user.invited',
    'user.updated',
    'user.activated',
    'user.deactivated',
    'user.deleted',
    'user.erased',
    'user.exported',
    'users.imported',
    'group.created',
    'group.updated',
    'group.deleted',
  ],
  signIn: [
    'user.logged_in',
    'user.reauthenticated',
    'user.login_failed',
    'user.logged_out',
    'user.password_reset_requested',
    'user.password_reset',
    'user.password_expired',
    'user.impersonated',
    'user.email_change_requested',
    'user.email_change_cancelled',
    'user.email_verified',
    'session.revoked',
    'session.reuse_detected',
  ],
  factors: [
    'two_factor.enrolled',
    'two_factor.recovery_codes_renewed',
    'two_factor.removed',
    'passkey.enrolled',
    'passkey.renamed',
    'passkey.removed',
    'device.remembered',
    'device.removed',
    'user_token.created',
    'user_token.updated',
    'user_token.revoked',
    'identity.linked',
    'identity.unlinked',
  ],
  keys: [
    'api_key.created',
    'api_key.rotated',
    'api_key.revoked',
    'api_key.refused',
    'signing_key.created',
    'signing_key.rotated',
    'signing_key.retired',
    'signing_key.removed',
    'issuer.created',
    'issuer.updated',
    'issuer.deleted',
  ],
  webhooks: [
    'webhook.created',
    'webhook.updated',
    'webhook.secret_rotated',
    'webhook.replayed',
    'webhook.disabled',
    'webhook.deleted',
  ],
  account: ['account.updated', 'account.disabled', 'account.enabled', 'events.exported'],
} as const satisfies Record<string, readonly EventType[]>

export type EventGroup = keyof typeof eventGroups
export const eventGroupNames = Object.keys(eventGroups) as EventGroup[] // its own keys

/** The value of `type` in a request: all types of a group, or the one; undefined: every type. */
export function toTypeParameter(chosen: string): string | undefined {
  const group = eventGroupNames.find((name) => name === chosen)
  return group === undefined ? chosen || undefined : eventGroups[group].join(',')
}

export function groupOf(type: EventType): EventGroup {
  const types = (name: EventGroup): readonly EventType[] => eventGroups[name]
  return eventGroupNames.find((name) => types(name).includes(type)) ?? 'account'
}

/** Whether the event needs attention. */
export function isAlarming(type: EventType): boolean {
  return /failed|refused|reuse_detected|webhook\.disabled|account\.disabled/.test(type)
}
