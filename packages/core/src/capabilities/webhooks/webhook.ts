import { z } from 'zod'
import { createLabelSchema } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { typePatternSchema } from '../events/type-patterns.ts'

/** How many endpoints an account may have. */
export const maxWebhooks = 10

/** Why an endpoint was switched off by the service: it answered 410, or for five days nothing but failures. */
export const disabledReasons = ['gone', 'failing'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** Why an attempt has no status: `no_answer` came within the time, or the address is not allowed; `error`: the fault is ours. */
export const webhookFailures = ['no_answer', 'error'] as const
export type WebhookFailure = (typeof webhookFailures)[number]

/** An endpoint that the events of an account are sent to; never its secret. */
export interface Webhook {
  id: string
  url: string
  /** Types of events, `user.created`, or groups of them, `user.*`; `*` is all */
  types: string[]
  description: string
  isActive: boolean
  /** Why the service has switched it off; null where it has not */
  disabledReason: DisabledReason | null
  createdAt: Date
  updatedAt: Date
}

/** An attempt to deliver an event. Of the receiver's answer nothing but the status is kept. */
export interface WebhookAttempt {
  id: string
  /** `webhook-id` of what was sent */
  eventId: string
  /** The event's type, or `webhook.test` */
  type: string
  /** 1 is the first */
  attempt: number
  /** The status of the answer; null: there was none */
  status: number | null
  /**
   * Why there was none: `no_answer` came within the time, or the address is not allowed; `error`: the service failed before
   * it could send, and its log says of what. Null where there is a status
   */
  reason: WebhookFailure | null
  attemptedAt: Date
  durationMs: number
}

const fields = {
  url: codePoints(z.string(), 1, 2048).meta({
    format: 'uri',
    description: 'https; neither a private nor a link-local address',
    examples: ['https://example.com/webhooks'],
  }),
  types: z
    .array(typePatternSchema)
    .min(1)
    .max(50)
    .overwrite((list) => [...new Set(list)])
    .meta({
      description: 'Types of events, `user.created`, or groups of them, `user.*`; `*` is all',
      examples: [['user.*']],
    }),
  description: createLabelSchema(0, 200).meta({ examples: ['Our CRM'] }),
  isActive: z.boolean(),
}

const newFields = {
  url: fields.url,
  types: fields.types.default(['*']),
  description: fields.description.default(''),
  isActive: fields.isActive.default(true),
}
export const newWebhookSchema = z.strictObject(newFields)
export const newWebhookWireSchema = wireObject(newFields, { id: 'CreateWebhook' })
export type NewWebhook = z.input<typeof newWebhookSchema>
export type CheckedWebhook = z.output<typeof newWebhookSchema>

const changedFields = z.strictObject(fields).partial().shape
export const webhookChangesSchema = z.strictObject(changedFields)
export const webhookChangesWireSchema = wireObject(changedFields, { id: 'PatchWebhook' })
export type WebhookChanges = z.input<typeof webhookChangesSchema>

const replayFields = {
  after: codePoints(z.string(), 1, 200).meta({
    description: 'A cursor of the feed: everything behind it is sent again',
    examples: ['AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxQ'],
  }),
}
export const replaySchema = z.strictObject(replayFields)
export const replayWireSchema = wireObject(replayFields, { id: 'ReplayWebhook' })
export type WebhookReplay = z.input<typeof replaySchema>
