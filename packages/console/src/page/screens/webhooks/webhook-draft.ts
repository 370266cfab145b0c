import type { Webhook } from '@clientele/client'

/** The values of the form for an endpoint. */
export interface WebhookDraft {
  url: string
  description: string
  types: readonly string[]
}

export const newDraft: WebhookDraft = { url: '', description: '', types: ['*'] }

export function toDraft({ url, description, types }: Webhook): WebhookDraft {
  return { url, description, types }
}

/** Groups of types, as the server takes them */
export const typeGroups = [
  'user.*',
  'users.*',
  'session.*',
  'two_factor.*',
  'passkey.*',
  'identity.*',
  'account.*',
  'api_key.*',
  'signing_key.*',
  'issuer.*',
  'webhook.*',
  'events.*',
] as const
