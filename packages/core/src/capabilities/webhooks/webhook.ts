import { z } from 'zod'
import { createLabelSchema } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { typePatternSchema } from '../events/type-patterns.ts'

/** The maximum number of endpoints of an account. */
export const maxWebhooks = 10

/** Why the service switched an endpoint off: it answered 410 (`gone`), or every attempt failed for five days (`failing`). */
export const disabledReasons = ['gone', 'failing'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** Why an attempt has no status. `no_answer`: a timeout, or the address is forbidden; `error`: the service failed. */
export const webhookFailures = ['no_answer', 'error'] as const
export type WebhookFailure = (typeof webhookFailures)[number]

/** An endpoint that the events of an account are sent to, without its secrets. */
export interface Webhook {
  id: string
  url: string
  /** Event types, `user.created`, or groups of them, `user.*`; `*` means all */
  types: string[]
  description: string
  isActive: boolean
  /** Why the service has switched it off; null: it has not */
  disabledReason: DisabledReason | null
  createdAt: Date
  updatedAt: Date
}

/** A delivery attempt. Only the status of the response is stored. */
export interface WebhookAttempt {
  id: string
  /** The message's `webhook-id` */
  eventId: string
  /** The event's type, or `webhook.test` */
  type: string
  /** The first attempt is 1 */
  attempt: number
  /** The status of the response; null: no response */
  status: number | null
  /**
   * Why there was no response. `no_answer`: a timeout, or the address is forbidden; `error`: the service failed before
   * it could send, and its log has the reason. Null when there is a status
   */
  reason: WebhookFailure | null
  attemptedAt: Date
  durationMs: number
}

const fields = {
  url: codePoints(z.string(), 1, 2048).meta({
    format: 'uri',
    description: 'https; private and link-local addresses are forbidden',
    examples: ['https://example.com/webhooks'],
  }),
  types: z
    .array(typePatternSchema)
    .min(1)
    .max(50)
    .overwrite((list) => [...new Set(list)])
    .meta({
      description: 'Event types, `user.created`, or groups of them, `user.*`; `*` means all',
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
    description: 'A cursor of the feed: every event after it is sent again',
    examples: ['AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxQ'],
  }),
}
export const replaySchema = z.strictObject(replayFields)
export const replayWireSchema = wireObject(replayFields, { id: 'ReplayWebhook' })
export type WebhookReplay = z.input<typeof replaySchema>
